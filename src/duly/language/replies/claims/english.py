"""How people say in English what they did."""

from __future__ import annotations

from duly.language.replies.claims.form import ClaimWords, Matter

CLAIMS = ClaimWords(
    deed_macros=("did", "done", "settled", "bare"),
    plain=(
        "did done finished completed complete sorted handled fixed made had checked wrapped ticked gave grabbed been "
        "took taken to up in off of care out dropped picked handed plugged"
    ),
    takes="took taken swallowed popped gulped downed",
    deeds={
        Matter.MEDICINE: "injected applied swallowed popped gulped downed drank drunk refilled",
        Matter.VITAMINS: "swallowed popped gulped downed drank drunk",
        Matter.EAT: "ate eaten",
        Matter.DRINK: "drank drunk downed gulped",
        Matter.PAY: "paid",
        Matter.CALL: "called phoned rang spoke talked",
        Matter.SEND: "sent emailed mailed posted texted messaged wrote replied answered shipped submitted uploaded "
        "filed delivered",
        Matter.BUY: "bought ordered",
        Matter.WASH: "washed cleaned ironed vacuumed hoovered mopped",
        Matter.WATER: "watered",
        Matter.FEED: "fed",
        Matter.BOOK: "booked scheduled",
        Matter.MEASURE: "measured tested logged",
        Matter.SIGN: "signed",
        Matter.LOCK: "locked closed",
        Matter.TRASH: "emptied",
        Matter.FETCH: "collected",
        Matter.BRING: "returned delivered",
        Matter.WALK: "walked",
        Matter.REPAIR: "repaired",
        Matter.PRINT: "printed scanned",
        Matter.CHARGE: "charged",
        Matter.COOK: "cooked",
        Matter.VISIT: "went there",
    },
    things={
        Matter.MEDICINE: "pill pills medicine* medication* meds med tablet* dose doses drops capsule* inhaler "
        "prescription*",
        Matter.VITAMINS: "vitamin* supplement*",
        Matter.EAT: "eat eating lunch dinner breakfast meal* food snack* fruit supper",
        Matter.DRINK: "drink* water tea coffee juice",
        Matter.PAY: "pay paying rent bill bills invoice* tax taxes fee fees insurance mortgage payment*",
        Matter.CALL: "call calling phone ring telephone dial speak talk",
        Matter.SEND: "send* post letter* message* text texting write writing reply* answer* submit* upload* report "
        "application* parcel* package* ship*",
        Matter.BUY: "buy* order* shop* groceries milk bread",
        Matter.WASH: "wash* clean* laundry dishes ironing vacuum* hoover* mop* bathroom kitchen car",
        Matter.WATER: "water* plant* flower* garden",
        Matter.FEED: "feed* cat cats dog dogs fish pet pets",
        Matter.BOOK: "book* reserv* schedul* appointment* table flight* hotel*",
        Matter.MEASURE: "measur* blood pressure sugar glucose temperature weigh* test* log",
        Matter.SIGN: "sign* contract* form forms",
        Matter.LOCK: "lock* clos* shut* door* window* gate*",
        Matter.TRASH: "bin bins trash rubbish garbage recycling dishwasher empty*",
        Matter.FETCH: "collect* pick* fetch* kids",
        Matter.BRING: "return* deliver* hand bring* drop dropping library",
        Matter.WALK: "walk* dog dogs",
        Matter.REPAIR: "repair* fix*",
        Matter.PRINT: "print* scan*",
        Matter.CHARGE: "charg* battery car",
        Matter.COOK: "cook* dinner lunch",
        Matter.VISIT: "dentist doctor gym school meeting* appointment* go visit* library church",
        Matter.WEAR: "wear* brace splint stockings",
        Matter.OFF: "off stove oven heating lights",
    },
    persons=(
        "mum mom mama mommy mummy dad daddy papa wife husband son daughter brother sister nurse carer friend neighbour "
        "neighbor grandma grandpa granny she he they shes hes someone somebody everyone boss man dude kids partner "
        "girlfriend boyfriend roommate colleague cat dog|my wife|my husband|my mum|my mom|my dad|my son|my daughter"
        "|my brother|my sister|the nurse|the carer|my friend|my partner|the kids|the dog|the cat"
    ),
    mine="i ive im we weve my our me",
    partly=(
        "half partly partially wrong twice double almost nearly except some most other instead vomited think guess "
        "hope believe probably perhaps maybe suppose possibly reckon only|threw up|one of|threw it up|i think|i guess"
        "|i hope|i believe|not sure|i suppose|the wrong one|the other one|one of two|one of the two|half of it"
        "|part of it"
        "|should have|would have|could have|might have"
    ),
    spent=(
        "theyre finished|they are finished|theyre all finished|theyre done|they are done|theyre all done|all gone"
        "|they are all finished"
    ),
    long_ago=(
        "yesterday|last week|last month|last year|the other day|days ago|weeks ago|monday|tuesday|wednesday|thursday"
        "|friday|saturday|sunday|last time"
    ),
    parts={
        "this morning": 5,
        "first thing": 5,
        "when i woke up": 5,
        "when i got up": 5,
        "breakfast": 5,
        "lunch": 11,
        "this afternoon": 12,
        "dinner": 17,
        "this evening": 17,
        "tonight": 17,
        "last night": -6,
    },
    afternoon="pm p.m. tonight evening afternoon",
    beside="with w at after before for",
    well="all good|thats fine|its fine|fine|good|its ok",
    skips="skip* drop* pass passing leave leaving miss sitting give cancel* scrap",
    either="",
    advised="doctor doc gp pharmacist nurse",
    take="take taking takes",
    unwilling=(
        "|i dont want|dont want|i dont feel like|dont feel like|i wont|i refuse|i cant be bothered|cant be bothered"
        "|not in the mood|im not in the mood|no desire|i really dont want|i do not want|i am not going to"
        "|im not going to"
        "|doctor told me|my doctor told me|the doctor told me|doctor said|my doctor said|the doctor said|doc said"
        "|doc told me|doctor took me off|my doctor took me off|the doctor took me off|i would rather not|id rather not"
    ),
    as_mine={"has": "have", "hasn't": "haven't"},
    articles="the a an my our your some this that these those all both of to for",
    it="it",
)
