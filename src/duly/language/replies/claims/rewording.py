"""A claim in the reminder's own words, said again in words that every reminder has: "it is done".

The past of the reminder's verb ("gegossen"), a state that says it ("the bin is out") and what people say instead ("had
a chat with her") are replaced by the plain deed, and what is added without a change of meaning ("sorry for the delay",
"as always") is left out. Whether that is a claim the replies of the language decide, with all that speaks against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from duly.language.replies.claims.fitting import without
from duly.language.replies.claims.form import Matter
from duly.language.replies.claims.lexicon import ClaimLexicon, ClaimSubject, PhraseSet, Span, folded
from duly.language.replies.claims.verbs import in_gender, is_past_of
from duly.language.replies.tokens import ReplyToken


@dataclass(frozen=True, slots=True, kw_only=True)
class Plainly:
    """The closed lists of a language."""

    done: str
    """What stands for the past of a verb, with bars between its forms."""
    did: str
    """A whole claim."""
    asides: str
    """Say nothing about whether it is done."""
    copulas: str
    subjects: str
    """Pronouns of what the reminder is about, before a state."""
    adverbs: str
    """May stand between copula and state."""
    states: dict[Matter, str]
    clauses: dict[Matter, str]
    """Say as a whole, or with a pronoun, that it is done."""
    partners: str
    """With whom one spoke, to whom something was sent."""
    leads: str
    """Stand before the person who was called."""


_IF = frozenset(["if", "whether", "ob", "wenn", "falls", "ako", "si", "se", "que", "che", "dass", "da", "kad", "neka"])
"""Before what is only thought of; the same word with an accent, or with a comma behind it, may be yes."""
_LONGEST_COPULA = 3
_PARTNERED = frozenset({Matter.CALL, Matter.SEND, Matter.BRING, Matter.FETCH})
PLAINLY = {
    "en": Plainly(
        done="done|did",
        did="i did it",
        asides=(
            "finally actually lol haha phew promise honestly straight today immediately promptly again"
            "|sorry for the delay|sorry for the late reply|sorry for the late answer|sorry for answering late"
            "|sorry for the wait|sorry i forgot to answer|sorry i forgot to reply|sorry im late|sorry it took so long"
            "|sorry late reply|sorry for replying late|right away|straight away|on time|in time|at last|as always"
            "|as usual|like always|like every day|like a good girl|like a good boy|as soon as you buzzed|as requested"
            "|before i forgot|thanks for the nudge|no worries|for once|by myself|on my own|all by myself|as promised"
            "|as told|as planned|like you said|she says hi|he says hi|shes happy|hes happy|theyre happy"
            "|for today|as soon as you asked|as we speak"
            "|first thing|no problem|easy peasy|thank god|thank goodness|on the dot|at once|in one go|this time"
        ),
        copulas="is are was were|is been|has been|have been|has just been|have just been",
        subjects="its it theyre they she he hes shes that thats",
        adverbs="already all now finally just both safely",
        states={
            Matter.TRASH: (
                "out outside gone|put out|taken out|out there|on the curb|on the kerb|at the kerb|at the curb"
                "|on the street|out front"
            ),
            Matter.LOCK: "locked shut closed|locked up",
            Matter.FEED: "fed full|eaten",
            Matter.SEND: "sent out off|in his inbox|in her inbox|on its way|in the mail|in the post",
            Matter.WASH: "hanging clean|on the line|in the machine",
            Matter.MEDICINE: "down in|in me|in my belly",
            Matter.OFF: "off",
            Matter.PAY: "through settled paid",
        },
        clauses={
            Matter.CALL: (
                "called phoned rang spoke talked chatted|got off the phone|just got off the phone|hung up|just hung up"
                "|had a chat|had a call|had a talk|had a long chat|had them on the phone|had her on the phone"
            ),
            Matter.PAY: (
                "transferred settled|paid up|all paid up|payment went through|money is sent|payment sent|payment made"
                "|made the transfer|made the payment|sent the money"
            ),
            Matter.SEND: "sent emailed mailed texted messaged|hit send|just hit send|sent off|sent over|sent out",
            Matter.FEED: "fed|gave food|gave her food|gave him food|gave them food|gave him dinner|gave her dinner",
            Matter.WATER: "watered|gave them a drink|gave them water|gave them some water|did the watering",
            Matter.TRASH: (
                "emptied|put outside|put out|brought out|took down|put it outside|brought it out|took it down"
            ),
            Matter.LOCK: "locked closed|locked up",
            Matter.VISIT: "worked out|did my workout|did a workout|did my stretches",
            Matter.BUY: "bought ordered|picked up",
        },
        partners="|with her|with him|with them|to her|to him|to them|her|him",
        leads="with to",
    ),
    "de": Plainly(
        done="erledigt",
        did="hab ich erledigt",
        asides=(
            "endlich sofort direkt brav pünktlich tatsächlich haha natürlich rechtzeitig fix schnell "
            "selbst|wie immer"
            "|wie gewohnt|wie üblich|wie jeden tag|wie versprochen|sorry für die späte antwort|sorry für die verspätung"
            "|entschuldige die späte antwort|entschuldigung für die späte antwort|sorry dass ich erst jetzt antworte"
            "|sorry für die verzögerung|sorry bin spät dran|tut mir leid für die späte antwort|auf die minute"
            "|auf den punkt|keine sorge|danke für die erinnerung|danke fürs erinnern|danke dir|gott sei dank"
            "|rechtzeitig|ohne murren|auf anhieb|für heute|in einem rutsch|sorry für späte antwort|heute|jetzt endlich"
        ),
        copulas="ist sind wurde wurden war|ist jetzt|sind jetzt",
        subjects="sie er es die der das alles",
        adverbs="schon jetzt alle bereits endlich gerade grad eben nun",
        states={
            Matter.TRASH: "draußen raus weg unten|an der straße|vor der tür",
            Matter.LOCK: "zu abgeschlossen abgesperrt zugesperrt verschlossen",
            Matter.FEED: "satt gefüttert versorgt|hat gefressen",
            Matter.SEND: "raus weg verschickt|unterwegs",
            Matter.WASH: "sauber|auf der leine",
            Matter.MEDICINE: "drin intus unten",
            Matter.OFF: "aus",
            Matter.PAY: "beglichen überwiesen",
        },
        clauses={
            Matter.CALL: (
                "telefoniert gesprochen angerufen aufgelegt durchgeklingelt geredet gequatscht|am telefon gehabt"
                "|an der strippe gehabt"
            ),
            Matter.PAY: "überwiesen beglichen bezahlt gezahlt|geld ist raus|das geld ist raus",
            Matter.SEND: "geschickt verschickt abgeschickt gesendet abgesendet weitergeleitet eingereicht",
            Matter.FEED: "gefüttert versorgt|futter gegeben|futter bekommen|essen gegeben|zu fressen gegeben",
            Matter.WATER: "gegossen gewässert bewässert|wasser gegeben|wasser bekommen",
            Matter.TRASH: "rausgebracht runtergebracht rausgestellt weggebracht entsorgt geleert|steht draußen",
            Matter.LOCK: "abgeschlossen zugesperrt abgesperrt zugemacht geschlossen",
            Matter.WASH: "aufgehängt|hängt|hängen|hängt schon|hängt alles|alles hängt|hängt jetzt",
            Matter.MEDICINE: "eingenommen geschluckt runtergeschluckt|drin das ding|intus|schon intus|meine genommen",
            Matter.BUY: "gekauft eingekauft besorgt bestellt",
        },
        partners="|mit ihr|mit ihm|mit ihnen|ihm|ihr|ihnen",
        leads="mit an",
    ),
    "hr": Plainly(
        done="obavljeno|obavila",
        did="obavila sam",
        asides=(
            "napokon konačno odmah zapravo haha danas svoju svoj redovno naravno uspješno stvarno"
            "|kao i uvijek|kao i uvek"
            "|kao uvijek|kao uvek|kao i obično|kao svaki dan|oprosti što kasnim|izvini što kasnim|oprosti na kašnjenju"
            "|izvini na kašnjenju|oprosti što kasno odgovaram|izvini što kasno odgovaram|sorry što kasnim"
            "|oprosti na čekanju|izvini na čekanju|bez brige|ne brini|hvala na podsjetniku"
            "|hvala na podsetniku|na vrijeme"
            "|na vreme|točno na vrijeme|tačno na vreme|u minutu|po običaju|kao po običaju|kako je i dogovoreno"
            "|hvala bogu|iz prve|po dogovoru|evo danas"
        ),
        copulas="je su|je bila|je bilo",
        subjects="to ono ona",
        adverbs="već sada sad sve napokon konačno upravo",
        states={
            Matter.TRASH: "vani napolju van iznijeto izneto izneseno|ispred kuće",
            Matter.LOCK: "zaključana zaključano zatvorena zatvoreno",
            Matter.FEED: "sita sit siti nahranjena nahranjen nahranjeni|jela|jeo",
            Matter.SEND: "poslan poslano poslata poslato otišao otišla otišlo",
            Matter.WASH: "čisto čista oprano oprana obješeno okačeno",
            Matter.OFF: "ugašeno ugašen isključeno isključen",
            Matter.PAY: "plaćen plaćena plaćeno podmireno uplaćeno",
        },
        clauses={
            Matter.CALL: (
                "razgovarala razgovarao pričala pričao popričala popričao nazvala nazvao pozvala pozvao"
                "|čuli smo se|čule smo se|čula sam se|čuo sam se|završio razgovor|završila razgovor"
                "|obavila razgovor|obavio razgovor"
            ),
            Matter.PAY: "platila platio uplatila uplatio podmirila podmirio|podmireno",
            Matter.SEND: "poslala poslao odaslala odaslao otišlo otišao",
            Matter.FEED: (
                "nahranila nahranio|dala jesti|dao jesti|dao da jede|dala da jede|dao hranu|dala hranu|dao joj jesti"
                "|dao sam joj jesti|dala sam joj jesti|dao sam mu jesti|dala sam mu jesti|dao sam joj da jede"
                "|dala sam joj da jede|dao sam mu da jede|dala sam mu da jede"
                "|dala joj jesti"
            ),
            Matter.WATER: "zalila zalio|dala vode|dao vode",
            Matter.TRASH: "iznijela iznio iznela izneo bacila bacio odnijela odnio odnela odneo izbacila izbacio",
            Matter.LOCK: "zaključala zaključao zatvorila zatvorio",
            Matter.BUY: "kupila kupio nabavila nabavio",
        },
        partners="|s njom|sa njom|s njim|sa njim|s njima|sa njima|mu|joj|im",
        leads="s sa",
    ),
    "es": Plainly(
        done="hecho|hice",
        did="ya lo hice",
        asides=(
            "puntual enseguida finalmente jaja hoy inmediatamente puntualmente|por fin|como siempre"
            "|como cada día"
            "|como todos los días|ahora mismo|perdona la tardanza|perdón por la tardanza|perdona el retraso"
            "|perdón por el retraso|perdón por contestar tarde|perdona por contestar tarde|perdón por responder tarde"
            "|disculpa la demora|disculpa la tardanza|perdón por la demora|sin problema|no te preocupes"
            "|a tiempo|a la hora"
            "|en seguida|al momento|la mía|el mío|de una vez|al instante|gracias por recordármelo|gracias por avisar"
            "|como un reloj|gracias a dios|sin falta|en punto|al fin|por supuesto|como dios manda"
        ),
        copulas="está están|ya está|ya están|quedó|quedaron|fue|fueron",
        subjects="todo",
        adverbs="ya todo todas todos bien",
        states={
            Matter.TRASH: "fuera sacada abajo|en la calle|en el contenedor",
            Matter.LOCK: "cerrada cerrado cerradas|cerrada con llave|cerrado con llave",
            Matter.FEED: "comido alimentado|ha comido|ya ha comido|ya comió|comió",
            Matter.SEND: "enviado mandado enviada mandada|en camino",
            Matter.WASH: "tendida tendido limpio limpia|colgada",
            Matter.OFF: "apagado apagada",
            Matter.PAY: "pagado pagada",
            Matter.MEDICINE: "tomada dentro",
        },
        clauses={
            Matter.CALL: (
                "llamé hablé llamado hablado|acabo de hablar|acabo de colgar|acabo de llamar|ya colgué|he hablado"
            ),
            Matter.PAY: "pagué transferí pagado|hice la transferencia|hecha la transferencia",
            Matter.SEND: "envié mandé enviado mandado",
            Matter.FEED: (
                "|le puse la comida|le he puesto la comida|le di de comer|le he dado de comer"
                "|le he echado de comer|le eché de comer|le puse comida|le di la comida"
            ),
            Matter.WATER: "regué regado|les eché agua|les di agua",
            Matter.TRASH: "bajé bajado saqué sacado tiré tirado",
            Matter.LOCK: "cerré cerrado|cerré con llave|eché la llave|he echado la llave",
            Matter.BUY: "compré comprado pedí pedido",
        },
        partners="|con ella|con él|con ellos|con ellas|a ella|a él",
        leads="con a",
    ),
    "fr": Plainly(
        done="fait",
        did="c'est fait",
        asides=(
            "enfin immédiatement haha mdr bien directement aujourd'hui promis tranquillement|comme toujours"
            "|comme d'habitude"
            "|comme d'hab|comme chaque jour|comme prévu|comme promis|désolé du retard|désolée du retard"
            "|désolé pour le retard|désolée pour le retard|désolé de répondre tard|désolée de répondre tard"
            "|pardon pour le retard|désolé pour la réponse tardive|désolée pour la réponse tardive|tout de suite"
            "|tout à l'heure|à l'heure|à temps|pas de souci|pas de soucis|ne t'inquiète pas|t'inquiète|merci du rappel"
            "|merci pour le rappel|dieu merci|à l'instant|sans faute|comme il faut|pile à l'heure|le mien|la mienne"
            "|désolé j'ai oublié de répondre|désolée j'ai oublié de répondre"
        ),
        copulas="est sont|a été|ont été|sont déjà|est déjà|viennent d'être|vient d'être",
        subjects="elle elles il ils c'est ça tout",
        adverbs="déjà bien toutes tous enfin tout",
        states={
            Matter.TRASH: "dehors sorties sorti sortie sortis descendues descendue|en bas|sur le trottoir|dans la rue",
            Matter.LOCK: "fermée fermé verrouillée|fermée à clé|fermé à clé|fermée à clef|fermé à clef",
            Matter.FEED: "nourri nourrie nourris rassasié|a mangé|a bien mangé",
            Matter.SEND: "parti partie envoyé envoyée|en route",
            Matter.WASH: "étendu propre étendue|au sec",
            Matter.OFF: "éteint éteinte éteints",
            Matter.PAY: "payé payée réglé réglée",
            Matter.MEDICINE: "pris avalé prise",
        },
        clauses={
            Matter.CALL: (
                "appelé appelée|parlé|on s'est parlé|je viens de raccrocher|j'ai raccroché|raccroché|téléphoné"
                "|eu au téléphone|eus au téléphone|eues au téléphone|eue au téléphone|eu en ligne"
            ),
            Matter.PAY: "payé payée réglé réglée viré|fait le virement|virement fait|virement effectué",
            Matter.SEND: "envoyé envoyée transmis expédié expédiée|c'est parti",
            Matter.FEED: "nourri|donné à manger|donné ses croquettes|donné des croquettes|donné la gamelle",
            Matter.WATER: "arrosé arrosées arrosée|donné de l'eau",
            Matter.TRASH: "sorti sorties sortie descendu descendues descendue vidé vidée jeté jetées",
            Matter.LOCK: "fermé fermée verrouillé verrouillée|fermé à clé|fermée à clé|fermé à clef|fermée à clef",
            Matter.BUY: "acheté achetée achetés commandé",
        },
        partners="|avec elle|avec lui|avec eux|à elle|à lui|lui|leur",
        leads="avec à a",
    ),
    "it": Plainly(
        done="fatto",
        did="l'ho fatto",
        asides=(
            "finalmente subito puntuale puntualmente haha oggi immediatamente stasera regolarmente|come sempre"
            "|come ogni giorno|come al solito|come promesso|scusa il ritardo|scusate il ritardo|scusa per il ritardo"
            "|scusa se rispondo tardi|scusa se rispondo ora|scusa se ti rispondo tardi|scusa la risposta tardiva"
            "|nessun problema|non ti preoccupare|non preoccuparti|in orario|all'ora giusta|in tempo|la mia|il mio"
            "|grazie del promemoria|grazie per il promemoria|grazie a dio|senza problemi|per fortuna|come previsto"
            "|di corsa|al volo|in punto|scusa mi ero dimenticato di rispondere|scusa mi ero dimenticata di rispondere"
        ),
        copulas="è sono|è stata|è stato|sono state|sono stati|è già|sono già",
        subjects="tutto",
        adverbs="già tutte tutti tutto finalmente ben",
        states={
            Matter.TRASH: "fuori giù buttata|in strada|nel cassonetto",
            Matter.LOCK: "chiusa chiuso chiuse|chiusa a chiave|chiuso a chiave",
            Matter.FEED: "sfamato sfamata|ha mangiato|ha già mangiato",
            Matter.SEND: "partito partita inviato inviata spedito spedita|in viaggio",
            Matter.WASH: "steso stesa stesi pulito pulita",
            Matter.OFF: "spento spenta spenti",
            Matter.PAY: "pagata pagato saldata saldato",
            Matter.MEDICINE: "presa preso",
        },
        clauses={
            Matter.CALL: (
                "chiamato chiamata sentita sentito parlato telefonato|messo giù|riattaccato|riagganciato"
                "|ci siamo sentiti|ci siamo sentite"
            ),
            Matter.PAY: "pagato pagata saldato saldata|fatto il bonifico|bonifico fatto|fatto il pagamento",
            Matter.SEND: "inviato inviata mandato mandata spedito spedita inoltrato",
            Matter.FEED: "sfamato|dato da mangiare|dato la pappa|dato le crocchette|messo la pappa|dato i croccantini",
            Matter.WATER: "annaffiato innaffiato bagnato|dato l'acqua|dato acqua|dato da bere",
            Matter.TRASH: "buttato buttata portata portato|portata giù|portato giù|portata fuori|portato fuori",
            Matter.LOCK: "chiuso chiusa|chiuso a chiave|chiusa a chiave|dato la mandata",
            Matter.BUY: "comprato comprata ordinato preso",
        },
        partners="|con lei|con lui|con loro|ci|gli|le",
        leads="con alle alla al a",
    ),
}


@dataclass(frozen=True, slots=True)
class _Compiled:
    done: tuple[str, ...]
    asides: PhraseSet
    copulas: PhraseSet
    subjects: PhraseSet
    adverbs: PhraseSet
    states: dict[Matter, PhraseSet]
    clauses: dict[Matter, PhraseSet]
    partners: PhraseSet
    leads: PhraseSet


@cache
def _compiled(code: str) -> _Compiled:
    given = PLAINLY[code]
    return _Compiled(
        done=tuple(given.done.split("|")),
        asides=PhraseSet.of(given.asides),
        copulas=PhraseSet.of(given.copulas),
        subjects=PhraseSet.of(given.subjects),
        adverbs=PhraseSet.of(given.adverbs),
        states={matter: PhraseSet.of(written) for matter, written in given.states.items()},
        clauses={matter: PhraseSet.of(_in_every_gender(code, written)) for matter, written in given.clauses.items()},
        partners=PhraseSet.of(given.partners),
        leads=PhraseSet.of(given.leads),
    )


def _in_every_gender(code: str, written: str) -> str:
    words, *phrases = written.split("|")
    forms = sorted({form for word in words.split() for form in (word, *in_gender(code, folded(word)))})
    return "|".join([" ".join(forms), *phrases])


def asides_in(code: str, words: Sequence[str]) -> list[Span]:
    """Find what is added to a claim and says nothing about whether it is done."""
    return _longest(_compiled(code).asides, words)


def reworded(
    code: str, lexicon: ClaimLexicon, subject: ClaimSubject, tokens: Sequence[ReplyToken]
) -> Iterator[tuple[ReplyToken, ...]]:
    """Yield a reply with the plain deed in the place of the reminder's own; nothing where it has none."""
    lists = _compiled(code)
    if code == "en":
        tokens = _apart_from_is(subject, tokens)
    words = [folded(token.word) for token in tokens]
    if any(token.word in _IF and not follows.pause for token, follows in pairwise(tokens)):
        return
    partners = _partners(lists, subject, words, ())
    persons = [
        words[start:end]
        for start, end in lexicon.persons.spans(words)
        if not any(first <= start and end <= last for first, last in partners)
    ]
    is_others = any(
        word not in lists.subjects and word not in lexicon.articles and not subject.names(word)
        for each in persons
        for word in each
    )
    if is_others and not any(word in lexicon.mine for word in words):
        return
    spans = _deeds(code, lists, subject, tokens, words)
    states = _states(code, lists, lexicon, subject, words)
    if not spans and not states:
        return
    for chosen in ([states] if states else []) + ([spans] if spans else []):
        left_out = [] if chosen is states else _partners(lists, subject, words, chosen)
        for done in lists.done:
            yield _put(tokens, chosen, left_out, done)


def _apart_from_is(subject: ClaimSubject, tokens: Sequence[ReplyToken]) -> list[ReplyToken]:
    """Write "the door's locked" as "the door is locked"."""
    apart: list[ReplyToken] = []
    for token in tokens:
        name = token.word.removesuffix("'s")
        if name == token.word or not subject.names(folded(name)):
            apart.append(token)
            continue
        apart.append(token._replace(word=name, unmarked=folded(name)))
        apart.append(token._replace(word="is", unmarked="is", pause=False))
    return apart


def _deeds(
    code: str, lists: _Compiled, subject: ClaimSubject, tokens: Sequence[ReplyToken], words: Sequence[str]
) -> list[Span]:
    matters = subject.matters
    spans = [span for matter, phrases in lists.clauses.items() if matter in matters for span in phrases.spans(words)]
    for at, (word, token) in enumerate(zip(words, tokens, strict=True)):
        if is_past_of(code, word, subject.verbs) and not (code == "fr" and token.word == word and word.endswith("e")):
            spans.append((at, at + 1))
    return _apart(spans)


def _states(
    code: str, lists: _Compiled, lexicon: ClaimLexicon, subject: ClaimSubject, words: Sequence[str]
) -> list[Span]:
    """Find states with the copula before them: "the bin | is out"; only of the reminder's own things."""
    matters = subject.matters
    found = [span for matter, phrases in lists.states.items() if matter in matters for span in phrases.spans(words)]
    found += [(at, at + 1) for at, word in enumerate(words) if is_past_of(code, word, subject.verbs)]
    spans: list[Span] = []
    for first, end in _apart(found):
        start = first
        while start and words[start - 1] in lists.adverbs:
            start -= 1
        sizes = range(min(_LONGEST_COPULA, start), 0, -1)
        copula = next((size for size in sizes if lists.copulas.is_all(words[start - size : start])), 0)
        start -= copula
        while start and copula and words[start - 1] in lists.adverbs:
            start -= 1
        before = words[start - 1] if start else ""
        is_its = bool(before) and (
            subject.names(before)
            or subject.is_kind(before, lexicon.things.of(before))
            or _is_thing(lexicon, subject, before)
        )
        is_alone = not start and bool(copula) and code != "en"
        if not is_its and before in lists.subjects and copula:
            spans.append((start - 1, end))  # elles | sont sorties
        elif is_its and not subject.names(before) and words[max(0, start - 2)] in lexicon.articles:
            spans.append((start - 2, end))  # the bins | are out
        elif is_its and not subject.names(before):
            spans.append((start - 1, end))
        elif is_its or is_alone or (before in lists.subjects and before.endswith("s")):
            spans.append((start, end))
    return _apart(spans)


def _is_thing(lexicon: ClaimLexicon, subject: ClaimSubject, word: str) -> bool:
    """Tell whether a word is another name of what is to be taken out: bins, trash. Elsewhere things differ."""
    return not lexicon.is_deed(word) and Matter.TRASH in lexicon.things.of(word) & subject.matters


def _partners(lists: _Compiled, subject: ClaimSubject, words: Sequence[str], deeds: Sequence[Span]) -> list[Span]:
    if not subject.matters & _PARTNERED:
        return []
    spans = _longest(lists.partners, words)
    spans += [
        (at, at + 1)
        for at in range(len(words) - 1)
        if words[at] in lists.leads and any(map(subject.names, words[at + 1 : at + 3]))
    ]
    return [span for span in _apart(spans) if not any(span[0] < end and start < span[1] for start, end in deeds)]


def _put(
    tokens: Sequence[ReplyToken], deeds: Sequence[Span], left_out: Sequence[Span], done: str
) -> tuple[ReplyToken, ...]:
    """Put the plain deed in the place of the reminder's own."""
    items = list(tokens)
    for start, _ in deeds:
        items[start] = items[start]._replace(word=done, unmarked=folded(done), squeezed="")
    dropped = sorted([*((start + 1, end) for start, end in deeds if end > start + 1), *left_out])
    return without(items, dropped, None) if dropped else tuple(items)


def _longest(phrases: PhraseSet, words: Sequence[str]) -> list[Span]:
    return _apart(list(phrases.spans(words)))


def _apart(spans: Sequence[Span]) -> list[Span]:
    """Keep the longest of stretches that overlap, in order."""
    kept: list[Span] = []
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if all(end <= first or last <= start for first, last in kept):
            kept.append((start, end))
    return sorted(kept)
