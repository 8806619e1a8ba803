"""How people say in Croatian and Serbian what they did."""

from __future__ import annotations

from duly.language.replies.claims.form import ClaimWords, Matter

CLAIMS = ClaimWords(
    deed_macros=("past", "finished"),
    plain=(
        "gotovo obavi* napravi* napravl* uradi* urađ* uradj* učini* učinj* završi* završ* završe* riješ* reši* reše* "
        "odradi* odrađ* dovrši* dovrš* izvrš* izvrši* sredi* sređ* popi* popij* uze* uzet* da dao dala dali dale "
        "obavljen* obavlj* stavi* vrati* vraće* izvršen* provjeri* proveri* donese* donio doneo donijela donela "
        "odnio odneo odnijela odnela odnese* odneše* uzeja napravija obavija završija riješija sredija"
    ),
    takes="popi* popij* uze* uzeja uzet* proguta* pio pila pili pile",
    deeds={
        Matter.MEDICINE: "primi* popi* popij* proguta* progut* pio pila pili pile ukapa* namaza* primijeni*",
        Matter.VITAMINS: "popi* popij* proguta* progut* pio pila pili pile",
        Matter.EAT: "poje* pojed*",
        Matter.DRINK: "popi* popij* pio pila pili pile",
        Matter.PAY: "plati* plać* plaće* uplati* uplać* platija",
        Matter.CALL: "nazva* zva* pozva* javi*",
        Matter.SEND: "posla* poslat* posla* javi* odgovori* napisa* preda* predat* predan*",
        Matter.BUY: "kupi* kuplj* naruči* naruče* kupija",
        Matter.WASH: "opra* opran* pospremi* posprem* očisti* očišće* usisa* ispegla* obrisa* "
        "očistija objesi* obješ* okači* okače*",
        Matter.WATER: "zali* zaliv* zalij* zalija",
        Matter.FEED: "nahrani* nahranj* napoji* nahranija",
        Matter.BOOK: "rezervira* rezervisa* zakaza* rezervir*",
        Matter.MEASURE: "izmjeri* izmeri* izmjer* izmer* provjeri* proveri*",
        Matter.SIGN: "potpisa* ispuni* ispunj* potpis*",
        Matter.LOCK: "zaključa* zatvori*",
        Matter.TRASH: "baci* bače* izbaci* izbač* iznese* iznio iznijela izneo iznela odnio odnijela odneo odnela "
        "odnese* odneše*",
        Matter.FETCH: "dovez* doveo dovela pokupi* pokuplj* digao digla donio donijela doneo donela donese* preda*",
        Matter.BRING: "odvez* odveo odvela dovez* doveo dovela "
        "vrati* vraće* donio donijela doneo donela odnio odneo odnijela odnela donese* odnese*",
        Matter.WALK: "prošeta*",
        Matter.COOK: "skuha* skuva*",
        Matter.READ: "pročita*",
        Matter.OFF: "ugasi* ugaše* isključi* isključ*",
        Matter.VISIT: "vježba* odvježba* vežba* odvežba*",
        Matter.PRINT: "overi* overe* produži* produže*",
    },
    things={
        Matter.MEDICINE: "lijek* lek lekov* leka leku tablet* pilul* terapij* kapi antibiotik* inzulin* insulin* "
        "medikament* kapsul* doza doze dozu",
        Matter.VITAMINS: "vitamin*",
        Matter.EAT: "jesti pojed* jede* ručak* večer* doručak* obrok* voć*",
        Matter.DRINK: "vod* čaj* kav* kaf* sok*",
        Matter.PAY: "plati* plać* račun* stanarin* najam* najamnin* porez* kiriju kirij* uplat* uplać*",
        Matter.CALL: "nazov* nazva* zov* pozov* pozva* poziv* javi*",
        Matter.SEND: "pošalj* posla* slati poruk* pismo pisma paket* odgovor* napiš* predat* preda* obrazac prijav*",
        Matter.BUY: "kupi* kupov* naruč* mlijeko mleko kruh hleb",
        Matter.WASH: "oper* prati pranj* rublj* veš suđe sudje očist* čist* usisa* pegla* pospr* zube zubi auto",
        Matter.WATER: "zali* zalij* biljk* cvij* cveć* vrt",
        Matter.FEED: "nahran* hrani* mačk* psa pas pse rib*",
        Matter.BOOK: "rezerv* zakaž* zakaza* termin* stol sto",
        Matter.MEASURE: "izmjer* izmer* mjeri mjerit* meri merit* tlak pritisak šećer temperatur* vag*",
        Matter.SIGN: "potpiš* potpis* ispun* ugovor* obrazac",
        Matter.LOCK: "zaključa* zatvor* vrata prozor*",
        Matter.TRASH: "smeć* đubr* izbac* otpad* kant* iznes* iznij* baci*",
        Matter.FETCH: "pokup* dizat* podig* donij* donei* djec* dec*",
        Matter.BRING: "odvez* odved* dovez* doved* vozi* vrati* vrać* odnes* odnij* donij* knjižnic* bibliotek*",
        Matter.WALK: "šeta* prošeta* psa pas",
        Matter.COOK: "kuha* kuva* skuha* skuva*",
        Matter.READ: "čita* pročita* knjig*",
        Matter.VISIT: "zubar* doktor* liječnik* lekar* vježb* vežb* sastan* trening*",
        Matter.OFF: "ugas* isključ* štednjak šporet pećnic* svjetl* svetl*",
        Matter.PRINT: "over* produž*",
    },
    persons=(
        "mama mamica majka tata otac žena muž sin kći kćerka ćerka brat sestra baka deda djed dida sestra "
        "njegovateljica "
        "prijatelj prijateljica susjed susjeda komšija šef on ona oni netko neko svi djeca deca pas mačka|moja žena"
        "|moj muž|moja mama|moj tata|moj sin|moja kći|moja sestra|moj brat|medicinska sestra|moja ćerka"
    ),
    mine="sam smo ja jesam jesmo mi",
    partly=(
        "pola pol polovicu polovinu dopola krivu krivi krivo pogrešnu pogrešan pogrešno dvaput dvostruko duplo skoro "
        "zamalo osim valjda mislim nadam vjerujem verujem vjerojatno verovatno možda povratila povratio "
        "povraćala drugu "
        "drugi drugo umjesto umesto djelomično delimično neke|mislim da|dva puta|dva put|jednu od dvije|jednu od dve"
        "|izgleda|nadam se|mislim da jesam|nisam sigurna|nisam siguran|trebala bih|trebao bih|ispljunula|ispljunuo"
    ),
    spent="nema više|potrošene su|potrošeno je|gotove su|su gotove|nestalo ih je",
    long_ago=(
        "jučer|juče|jucer|prekjučer|prekjuče|sinoć|sinoc|prošli tjedan|prošle nedelje|neki dan|u ponedjeljak"
        "|u ponedeljak|utorak|srijedu|sredu|četvrtak|petak|subotu|nedjelju|prošli put"
    ),
    parts={
        "jutros": 4,
        "ujutro": 4,
        "ujutru": 4,
        "čim sam ustala": 4,
        "čim sam ustao": 4,
        "doručak": 5,
        "doručka": 5,
        "ručak": 11,
        "ručka": 11,
        "popodne": 12,
        "večeru": 17,
        "večere": 17,
        "večeras": 17,
        "navečer": 17,
        "uveče": 17,
        "noćas": -2,
    },
    afternoon="navečer uveče popodne poslijepodne večeras",
    beside="uz s sa nakon poslije posle prije pre",
    well="dobro|dobro je|u redu|u redu je|sve u redu|sve ok|sve je u redu|sve pet|ajde dobro",
    skips="preska* preskač* preskoč* skip* propada otpada odmaram bez",
    either="",
    advised="doktor doktorica liječnik liječnica lekar lekarka ljekarnik",
    take="popi* piti pij* uze* uzm* uzima*",
    unwilling=(
        "|neću|ja neću|ne želim|ne da mi se|ne mogu se natjerati|nemam volje|nije mi do|mrzi me|odbijam|baš mi se ne da"
        "|doktor je rekao|doktorica je rekla|liječnik je rekao|liječnica je rekla|lekar je rekao|lekarka je rekla"
        "|rekao je doktor|rekla je doktorica|doktor mi je rekao|doktorica mi je rekla|lekar mi je rekao"
    ),
    as_mine={"je": "sam", "su": "smo"},
    articles="moj moja moje moju mog svoj svoju svoje svoja taj tu to te ovaj ovu ove na za u",
    it="to",
)
