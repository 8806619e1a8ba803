"""How people say in Italian what they did."""

from __future__ import annotations

from duly.language.replies.claims.form import ClaimWords, Matter

CLAIMS = ClaimWords(
    deed_macros=("done", "bare"),
    plain=(
        "a chiave fatto fatta fatti fatte finito finita finiti finite terminat* completat* concluso eseguit* "
        "effettuat* "
        "sbrigat* "
        "sistemat* risolto risolta provveduto dato data detto messo messa messe messi preso presa presi prese pigliat* "
        "assunto assunta giù fuori da l'acqua controllat* buttat* mandata versat* sciolt* mangiare mandat*"
    ),
    takes="preso presa presi prese pigliat* assunto assunta ingoiat*",
    deeds={
        Matter.MEDICINE: "ingoiat* bevut* sciolt*",
        Matter.VITAMINS: "ingoiat* bevut* sciolt*",
        Matter.EAT: "mangiat* mangiato",
        Matter.DRINK: "bevut*",
        Matter.PAY: "pagat* versat*",
        Matter.CALL: "chiamat* telefonato sentita sentito",
        Matter.SEND: "inviat* mandat* spedit* scritto risposto consegnat* imbucat* compilat* caricat*",
        Matter.BUY: "comprat* ordinat*",
        Matter.WASH: "lavat* pulit* stirat* stes*",
        Matter.WATER: "annaffiat* innaffiat*",
        Matter.FEED: "mangiare",
        Matter.BOOK: "prenotat*",
        Matter.MEASURE: "misurat* controllat*",
        Matter.SIGN: "firmat* compilat*",
        Matter.LOCK: "chiuso chiusa",
        Matter.TRASH: "buttat* svuotat* portat*",
        Matter.FETCH: "ritirat*",
        Matter.BRING: "restituit* consegnat* portat*",
        Matter.PRINT: "stampat* rinnovat*",
        Matter.CHARGE: "caricat*",
        Matter.COOK: "cucinat*",
        Matter.OFF: "spento spenta spenti",
        Matter.VISIT: "andato andata",
    },
    things={
        Matter.MEDICINE: "pillol* medicin* pastigli* compress* farmac* sciropp* iniezion* puntur* dose dosi gocce "
        "antibiotic* capsul*",
        Matter.VITAMINS: "vitamin* integrator*",
        Matter.EAT: "mangia* pranzo cena colazione pasto frutta merenda",
        Matter.DRINK: "bere bevi acqua tè caffè succo",
        Matter.PAY: "pagare paga pagament* affitto bollett* fattur* tasse multa* assicurazion* bonific* rata versa*",
        Matter.CALL: "chiam* telefon* sentire",
        Matter.SEND: "invi* mand* spedi* scriv* lettera* messaggi* rispond* pacco posta modulo relazion* consegn*",
        Matter.BUY: "comprare compra comprami ordin* spesa latte pane",
        Matter.WASH: "stendi* stendere lavare lava lavatrice puli* bucato panni piatti stira* bagno cucina macchina",
        Matter.WATER: "annaffi* innaffi* piant* fior* giardino",
        Matter.FEED: "gatto gatti gatta cane cani pesci mangiare",
        Matter.BOOK: "prenot* appuntament* tavolo hotel volo",
        Matter.MEASURE: "misur* pressione glicemia temperatura pesa*",
        Matter.SIGN: "firm* contratt* modul* compil*",
        Matter.LOCK: "chiud* porta porte finestr*",
        Matter.TRASH: "spazzatura immondizia rifiuti buttare butta svuota* bidon* portare porta",
        Matter.FETCH: "ritir* prendere bambini",
        Matter.BRING: "restitu* riport* biblioteca libr* consegn*",
        Matter.WALK: "passegg* cane",
        Matter.PRINT: "stamp* rinnov*",
        Matter.CHARGE: "carica* batteria",
        Matter.COOK: "cucin* cena",
        Matter.VISIT: "dentista medico dottore palestra riunion* andare appuntament*",
        Matter.OFF: "spegn* forno luci luce",
    },
    persons=(
        "mamma madre papà babbo padre moglie marito figlio figlia fratello sorella nonna nonno infermiera "
        "infermiere badante "
        "amico amica vicino vicina capo lei lui loro qualcuno tutti bambini cane gatto|mia moglie|mio marito|mia madre"
        "|mio padre|mio figlio|mia figlia|l'infermiera|la badante|mio fratello|mia sorella|la mamma|il papà"
    ),
    mine="ho lho io abbiamo labbiamo mio mia le gliel'ho me",
    partly=(
        "metà mezza mezzo sbagliata sbagliato doppia doppio quasi tranne eccetto credo penso spero suppongo forse "
        "probabilmente vomitata vomitato vomitate altra altro parte alcune alcuni solo|due volte|una su due|una "
        "delle due"
        "|la metà|credo di sì|penso di sì|mi sa|mi pare|dovrei|non sono sicuro|non sono sicura|ho vomitato|l'altra"
    ),
    spent="sono finite|sono finiti|è finita|è finito il|sono terminate|sono esaurite",
    long_ago=(
        "ieri|ieri sera|l'altro ieri|la settimana scorsa|l'altro giorno|lunedì|martedì|mercoledì|giovedì|venerdì|sabato"
        "|domenica|l'altra volta|giorni fa"
    ),
    parts={
        "stamattina": 4,
        "stamani": 4,
        "appena sveglio": 4,
        "appena sveglia": 4,
        "colazione": 5,
        "pranzo": 11,
        "oggi pomeriggio": 12,
        "pomeriggio": 12,
        "cena": 18,
        "stasera": 17,
        "stanotte": 0,
    },
    afternoon="pomeriggio sera stasera",
    beside="col con a dopo prima durante",
    well="bene|tutto bene|tutto ok|tutto a posto|tutto apposto|apposto|a posto|va bene|va benissimo",
    skips="salt* skipp* passo evito",
    either="dimentica dimenticato dimenticata",
    advised="medico dottore dottoressa farmacista",
    take="prend* assum*",
    unwilling=(
        "|non mi va|non voglio|non ho voglia|non ne ho voglia|mi rifiuto|non me la sento|che noia|mi scoccia"
        "|il medico mi ha detto|il dottore mi ha detto|il medico ha detto|il dottore ha detto|mio medico ha detto"
        "|la dottoressa ha detto|la dottoressa mi ha detto|il mio medico ha detto|il mio medico mi ha detto"
    ),
    as_mine={"ha": "ho", "l'ha": "l'ho", "hanno": "ho", "l'hanno": "l'ho"},
    articles="il lo la i gli le un uno una mio mia miei mie tuo tua del della dei delle al alla l d di con",
    it="questo",
)
