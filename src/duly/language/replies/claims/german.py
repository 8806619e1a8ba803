"""How people say in German what they did."""

from __future__ import annotations

from duly.language.replies.claims.form import ClaimWords, Matter

CLAIMS = ClaimWords(
    deed_macros=("done",),
    plain=(
        "erledigt gemacht getan geschafft abgeschlossen beendet abgehakt vollbracht gegeben organisiert geklärt "
        "erreicht besorgt genommen eingenommen gmacht gmocht gnommen gno geprüft"
    ),
    takes=(
        "genommen eingenommen geschluckt runtergeschluckt runtergespült eingeworfen gnommen gno gschluckt verabreicht"
    ),
    deeds={
        Matter.MEDICINE: "geschluckt runtergeschluckt runtergespült eingeworfen gespritzt verabreicht gschluckt "
        "getrunken ausgetrunken geimpft aufgetragen eingecremt",
        Matter.VITAMINS: "geschluckt runtergeschluckt runtergespült eingeworfen gschluckt getrunken ausgetrunken",
        Matter.EAT: "gegessen",
        Matter.DRINK: "getrunken ausgetrunken",
        Matter.PAY: "bezahlt überwiesen gezahlt eingezahlt",
        Matter.CALL: "angerufen angrufen telefoniert zurückgerufen erreicht",
        Matter.SEND: "geschickt abgeschickt gesendet verschickt losgeschickt abgesendet geschrieben beantwortet "
        "geantwortet hochgeladen eingereicht abgegeben",
        Matter.BUY: "gekauft eingekauft bestellt besorgt",
        Matter.WASH: "geputzt gewaschen aufgeräumt gesaugt gebügelt aufgehängt",
        Matter.WATER: "gegossen",
        Matter.FEED: "gefüttert",
        Matter.BOOK: "gebucht reserviert",
        Matter.MEASURE: "gemessen eingetragen geprüft",
        Matter.SIGN: "unterschrieben ausgefüllt",
        Matter.LOCK: "zugesperrt abgesperrt abgeschlossen",
        Matter.TRASH: "rausgebracht weggebracht geleert raus",
        Matter.FETCH: "abgeholt",
        Matter.WALK: "gassi spazieren",
        Matter.BRING: "weggebracht zurückgebracht abgegeben",
        Matter.REPAIR: "repariert",
        Matter.PRINT: "ausgedruckt",
        Matter.READ: "gelesen",
        Matter.WEAR: "angezogen",
        Matter.OFF: "ausgeschaltet ausgemacht",
    },
    things={
        Matter.MEDICINE: "tablette* pille* medizin* medikament* medis meds tropfen dosis spritze* kapsel* arznei* "
        "antibiotik* blutdrucktablette* schmerzmittel* inhalator*",
        Matter.VITAMINS: "vitamin* nahrungsergänzung*",
        Matter.EAT: "essen iss mittagessen abendessen frühstück* obst",
        Matter.DRINK: "trinken trink wasser tee kaffee saft",
        Matter.PAY: "zahl* bezahl* überweis* miete* rechnung* steuer* versicherung* gebühr* strom beitrag*",
        Matter.CALL: "anruf* ruf telefon* zurückruf*",
        Matter.SEND: "schick* send* schreib* brief* nachricht* antwort* post paket* formular* bericht* antrag* "
        "einreich* hochlad* abgeb*",
        Matter.BUY: "kauf* einkauf* bestell* milch brot besorg*",
        Matter.WASH: "wasch* wäsche putz* saug* bügel* bügl* aufräum* geschirr bad küche auto zähne",
        Matter.WATER: "gieß* pflanze* blume* garten",
        Matter.FEED: "fütter* katze* hund* fisch*",
        Matter.BOOK: "buch* reservier* termin* tisch hotel* flug",
        Matter.MEASURE: "mess* blutdruck* blutzucker* fieber* temperatur* wiege*",
        Matter.SIGN: "unterschreib* ausfüll* vertrag* formular*",
        Matter.LOCK: "abschließ* zusperr* absperr* tür* fenster*",
        Matter.TRASH: "müll* tonne* mülltonne* papiertonne* altpapier leeren",
        Matter.FETCH: "abhol* holen hol kinder",
        Matter.BRING: "zurückbring* bring* abgeb* bücherei* bibliothek*",
        Matter.WALK: "hund* gassi spazier*",
        Matter.REPAIR: "reparier* repar*",
        Matter.PRINT: "drucken druck ausdruck*",
        Matter.CHARGE: "laden lade auflad* akku*",
        Matter.COOK: "koch*",
        Matter.READ: "lesen lies buch",
        Matter.VISIT: "zahnarzt* arzt* termin* sport gym",
        Matter.WEAR: "anzieh* strümpfe schiene",
        Matter.OFF: "ausschalt* ausmach* herd ofen heizung licht*",
    },
    persons=(
        "mama mami mutti mutter papa papi vati vater frau mann sohn tochter bruder schwester oma opa pfleger pflegerin "
        "krankenschwester freund freundin nachbar nachbarin chef er man jemand alle kinder hund katze|meine frau"
        "|mein mann|meine mutter|mein vater|mein sohn|meine tochter|die pflegerin|der pfleger|die schwester|mein freund"
        "|meine freundin|die kinder|der hund|die katze|meine mama|mein papa"
    ),
    mine="ich i hab habe habs wir mir bin ma",
    partly=(
        "halb halbe halben hälfte falsch* doppelt zweimal fast beinahe außer bis erbrochen gekotzt glaub glaube hoffe "
        "hoff denk denke wohl vermutlich wahrscheinlich vielleicht eventuell andere anderen anderes statt stattdessen "
        "teilweise einige nur|ich glaub|ich glaube|ich hoffe|ich denke|glaub ich|glaube ich|denke ich|hoffe ich"
        "|eine von zwei|eine von beiden|wieder ausgespuckt|die falsche|die andere|müsste|zur hälfte|nicht sicher"
    ),
    spent="sind alle|ist alle|sind aus|sind aufgebraucht|ist aufgebraucht|sind fertig",
    long_ago=(
        "gestern|vorgestern|letzte woche|letztens|neulich|letzten monat|montag|dienstag|mittwoch|donnerstag|freitag"
        "|samstag|sonntag|letztes mal"
    ),
    parts={
        "heute morgen": 5,
        "heut morgen": 5,
        "heute früh": 4,
        "heut früh": 4,
        "in der früh": 4,
        "vormittag": 6,
        "nach dem aufstehen": 4,
        "frühstück": 5,
        "mittag": 11,
        "mittagessen": 11,
        "nachmittag": 12,
        "abend": 17,
        "abendessen": 17,
        "schlafengehen": 20,
        "gestern abend": -7,
        "heute nacht": 0,
    },
    afternoon="abends abend nachmittags nachmittag",
    beside="mit beim zum nach vor zur",
    well="alles gut|gut|alles ok|alles okay|na gut|passt schon",
    skips="lass* überspring* skip* skipp* aus flach weg setz setze ausfallen entfällt",
    either="vergessen",
    advised="arzt ärztin doktor doc apotheker hausarzt hausärztin",
    take="nehm* nimm einnehm* einzunehmen",
    unwilling=(
        "|keine lust|hab keine lust|ich hab keine lust|ich habe keine lust|habe keine lust|kein bock|keinen bock"
        "|hab keinen bock|ich will nicht|will nicht|ich will das nicht|ich will sie nicht|ich mag nicht|mag nicht"
        "|ich möchte nicht|möchte nicht|ich weigere mich|der arzt sagt|der arzt hat gesagt|die ärztin hat gesagt"
        "|mein arzt hat gesagt|arzt hat gesagt|arzt sagt|laut arzt|der doktor hat gesagt|meine ärztin hat gesagt"
    ),
    as_mine={"hat": "hab", "hats": "habs", "hat's": "hab's"},
    articles="der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner unser unsere "
    "dein deine "
    "deinen die alle beide beim zum zur mit an",
    it="es",
    ge=True,
)
