"""The form of the words by which a claim is compared with its reminder: what was done, to what, by whom, and when.

In each list words are separated by spaces, phrases by `|`. A word that ends in `*` stands for all that begin with it.
Accents and case do not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Matter(StrEnum):
    """What a reminder is about. A claim fits if its deed or its object is of the same matter."""

    MEDICINE = "medicine"
    VITAMINS = "vitamins"
    EAT = "eat"
    DRINK = "drink"
    PAY = "pay"
    CALL = "call"
    SEND = "send"
    BUY = "buy"
    WASH = "wash"
    WATER = "water"
    FEED = "feed"
    BOOK = "book"
    MEASURE = "measure"
    SIGN = "sign"
    LOCK = "lock"
    TRASH = "trash"
    FETCH = "fetch"
    BRING = "bring"
    WALK = "walk"
    REPAIR = "repair"
    PRINT = "print"
    CHARGE = "charge"
    COOK = "cook"
    READ = "read"
    VISIT = "visit"
    WEAR = "wear"
    OFF = "off"


DRUGS = (
    "ibuprofen* paracetamol* aspirin* insulin* metformin* ramipril* bisoprolol* pantopra* omepra* euthyrox* "
    "levothyrox* thyrox* marcumar* warfarin* xarelto* eliquis* amoxi* prednis* kortison* cortison* statin* "
    "simvastatin* atorvastatin* lisinopril* amlodipin* sertralin* escitalopram* methotrexat*"
)
"""Medicines by name: a claim about another one does not fit."""
PURPOSES = (
    "pressure thyroid heart cholesterol sugar diabet* allerg* asthma* pain headache* sleep* stomach iron antibio* "
    "blutdruck* herz* schilddrüs* cholesterin* zucker* schmerz* schlaf* magen* eisen* entwässerung* gerinnung* "
    "tlak* pritis* srce štitnj* štitast* šećer* alergij* bolov* spavanj* želu* željez* gvožđ* holesterol* kolesterol* "
    "pressione cuore tiroid* colesterol* glicemia dolor* stomaco ferro sonno dormire coagula* "
    "tension coeur thyroïd* cholestérol* sucre douleur* estomac fer sommeil "
    "tensión presión corazón azúcar alergi* estómago hierro dormir"
)
"""What a medicine is for: a reminder of one is about no other."""
BESIDE_MEDICINE = (
    "after before with nach vor mit zum beim dopo prima con durante avec après avant pendant después antes nakon "
    "poslije posle prije pre uz s sa"
)
"""Stand in a reminder before what a medicine is taken with, which is not what it is about."""
MEASURING = (
    "measur* check* test* log mess* prüf* kontrollier* mjer* izmjer* meri* mere* izmeri* provjer* prover* "
    "misur* controll* mesur* contrôl* mide mides medir mida medirte control* comprueba comprobar"
)
"""Says that something is to be measured; "blood pressure" alone also says what a pill is for."""
EATING = "eat eating iss essen jesti jedi pojed* mangia mangiare mange manger come comer coma"
PAYMENTS = "payment* zahlung* pago pagos paiement* pagament* uplat* plaćanj*"
"""Names of what every reminder to pay is about."""
ANY_LANGUAGE = {
    Matter.MEDICINE: f"mg ml antibio* {DRUGS}",
    Matter.VITAMINS: "vitamin* magnesium zink zinc omega",
    Matter.SEND: "email* e-mail* mail* sms whatsapp",
}
"""Words of reminders that are the same, or nearly, in all languages."""
BOTH = "both beide beiden beides oba obje obe oboje ambos ambas entrambi entrambe"
"""Two of what the reminder is about."""
FRAME = (
    "time hour is are its dont forget remember please now today tonight morning evening reminder zeit ist sind nicht "
    "vergessen vergiss jetzt heute morgen abend erinnerung bitte vrijeme vreme sat danas sada sad sutra jutro večer ne "
    "zaboravi molim hora es son ahora hoy mañana noche recuerda olvides favor heure est cest sont maintenant "
    "aujourdhui matin soir rappel oublie oubliez ora sono adesso oggi domani mattina sera ricorda dimenticare "
    "promemoria did you have hast haben du jesi li has done erledigt gotovo hecho fait fatto"
)
"""Words of reminders and questions that name nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimWords:
    """How people say in one language what they did. `deeds` are words of a claim, `things` those of a reminder."""

    deed_macros: tuple[str, ...]
    """The macros of the language's replies whose words are deeds."""
    plain: str
    """Deeds that fit every reminder: "did", "finished"."""
    takes: str
    """Deeds with which people take medicine. They also fit a reminder that does not say what it is about."""
    deeds: Mapping[Matter, str]
    things: Mapping[Matter, str]
    persons: str
    """Other people: right before a claim they are who did it."""
    mine: str
    """With such a word a claim says that the person did it."""
    partly: str
    """Words after which it is not, or not surely, done: "half", "the wrong one", "I think"."""
    spent: str
    """Phrases that say of medicine that there is none left: "they're finished"."""
    long_ago: str
    """Times that are too long ago for every reminder: "yesterday"."""
    parts: Mapping[str, int]
    """Parts of the day, and the hour with which each begins; a negative one is of the evening before."""
    afternoon: str
    """Words beside a clock time that make 8 o'clock 20:00."""
    beside: str
    """Before a noun that is no object: "with water"."""
    well: str
    """Words of consent that also answer "how are you?"."""
    skips: str
    """Words with which a person leaves it out, and is not merely unwilling."""
    either: str
    """Replies that are an order to drop it, or say that it was forgotten."""
    advised: str
    """People whose word is a reason, and no order: "doctor said to stop"."""
    take: str
    """The same in a reminder: "take"."""
    unwilling: str
    """Beginnings of a reply that says that the person does not want to, or must not."""
    as_mine: Mapping[str, str]
    """Forms of another person, and those that one uses of oneself: "l'ha presa", "l'ho presa"."""
    articles: str
    it: str
    """Stands for a named object."""
    ge: bool = False
    """Whether a deed has "ge" where the reminder has none: "abgeholt", "abholen"."""
