"""A service that carries out work for duly: it checks each order, answers 202, and calls back. Standard library only.

DULY_SECRET=… python service.py 9000
"""

import hashlib
import hmac
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["DULY_SECRET"].encode()


def count_words(order, text):
    """Count words, and say how far it is."""
    words = text.split()
    order.report("beat", progress={"words": len(words)}, lines=[{"text": f"{len(words)} words"}])
    return {"words": len(words), "different": len(set(words))}


TASKS = {"count_words": count_words}
ORDERS = {}


class Order:
    """One order: what duly sent, and how far it is."""

    def __init__(self, sent):
        self.sent = sent
        self.state = {"state": "running"}
        self.is_wanted = True
        self.over = threading.Event()
        threading.Thread(target=self.carry_out, daemon=True).start()
        threading.Thread(target=self.beat, daemon=True).start()

    def carry_out(self):
        try:
            result = TASKS[self.sent["task"]](self, **self.sent["args"])
            self.state = {"state": "succeeded", "result": result}
        except Exception as error:
            self.state = {"state": "failed", "error": f"{type(error).__name__}: {error}"}
        self.over.set()
        self.report("end", **self.state)

    def beat(self):
        while self.is_wanted and not self.over.wait(self.sent["lease_seconds"] / 3):
            self.report("beat")

    def report(self, what, **fields):
        """Report until duly has taken it, or does not listen any more."""
        while self.is_wanted:
            sent = self.sent  # sent again, an order has another token
            headers = {"Authorization": f"Bearer {sent['token']}", "Content-Type": "application/json"}
            request = urllib.request.Request(sent["callback"][what], json.dumps(fields).encode(), headers)
            try:
                urllib.request.urlopen(request, timeout=10).close()
                break
            except urllib.error.HTTPError as error:
                refusal = json.load(error).get("refusal")
                if error.code < 500 and error.code != 429 and refusal != "not_begun" and sent is self.sent:
                    self.is_wanted = False  # cancelled, given up, or replaced by a later attempt
            except OSError:
                pass  # duly is away: it goes on when it is back
            time.sleep(1)


class Service(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.signed_body()
        if body is not None:
            self.take(self.headers["Idempotency-Key"], json.loads(body))

    def take(self, key, sent):
        if sent["task"] not in TASKS:
            self.answer(422, {"error": f"there is no task {sent['task']}"})
            return
        if key in ORDERS:  # it has arrived before: nothing begins twice
            ORDERS[key].sent = sent
        else:
            ORDERS[key] = Order(sent)
        self.answer(202, {"status_url": f"/orders/{key}"})

    def do_GET(self):
        if self.signed_body() is not None:
            order = ORDERS.get(self.path.rpartition("/")[2])
            self.answer(404 if order is None else 200, None if order is None else order.state)

    def do_DELETE(self):
        if self.signed_body() is not None:
            order = ORDERS.get(self.path.rpartition("/")[2])
            if order is not None:
                order.is_wanted = False
            self.answer(204)

    def signed_body(self):
        """Read the body; None where duly did not sign it, or long ago: that is answered."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        stamp = self.headers.get("X-Duly-Timestamp", "0")
        mac = "v1=" + hmac.new(SECRET, stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        is_fresh = abs(time.time() - int(stamp)) < 300
        if is_fresh and hmac.compare_digest(mac, self.headers.get("X-Duly-Signature", "")):
            return body
        self.answer(401, {"error": "not signed by duly"})
        return None

    def answer(self, status, document=None):
        body = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Service).serve_forever()
