"""How people answer a reminder in Croatian and Serbian."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.languages.form import words
from duly.language.replies.form import ReplyRole, ReplyWords

_STEMS = words(
    "popi uze obavi napravi uradi učini završi riješi reši odradi proguta da nazva zva plati posla kupi opra zali "
    "nahrani dovrši izvrši pospremi sredi poje očisti provjeri proveri ugasi zaključa zatvori prošeta naruči preda "
    "javi pi je pozva potpisa ispuni rezervira rezervisa isključi izmjeri izmeri stavi namaza ukapa vrati produži baci "
    "zakaza overi vježba odvježba vežba odvežba usisa skuha skuva ispegla uplati pročita otvori spremi primijeni "
    "napoji obrisa objesi okači pokupi odgovori napisa izbaci"
)
_DALMATIAN = words("popija uzeja napravija obavija platija kupija završija zalija nahranija riješija sredija očistija")
"""What a man did, as it is said on the coast."""
_IRREGULAR = words(
    "odnio odnijela odneo odnela donio donijela doneo donela iznio iznijela izneo iznela digao digla "
    "odvezao odvezla odveo odvela dovezao dovezla doveo dovela"
)
_PAST = "|".join([*(stem + ending for stem in _STEMS for ending in ("o", "la", "li", "le")), *_DALMATIAN, *_IRREGULAR])
_FUTURE = "|".join(f"{stem}ću|{stem}ćemo|{stem}t (ću|ćemo)|{stem}ti (ću|ćemo)|(ću|ćemo) {stem}ti" for stem in _STEMS)
_PASSIVE = words(
    "plaćen poslan poslat kupljen popijen uzet obavljen završen napravljen urađen riješen rešen sređen odrađen izvršen "
    "dovršen opran zaliven nahranjen pospremljen bačen predan predat potpisan ispunjen rezerviran rezervisan naručen "
    "zaključan ugašen isključen izmjeren izmeren vraćen produžen overen zakazan očišćen progutan pojeden usisan "
    "uplaćen spremljen odnesen odnešen donesen učinjen obješen okačen pokupljen iznesen izbačen"
)
_FINISHED = "|".join(stem + ending for stem in _PASSIVE for ending in ("o", "a", "i", "e", ""))
_MACROS = {
    "past": _PAST,
    "finished": f"gotovo|{_FINISHED}",
    "future": _FUTURE,
    "ready": "gotov|gotova|gotovi|gotove",
    "filler": "ajde|hajde|evo|eto|samo|neka|kao|nego|kako",
    "medicine": (
        "lijek|lek|lijekove|lekove|tabletu|tablete|pilulu|pilule|terapiju|vitamin|vitamine|kapi|vodu|kavu|kafu"
    ),
    "thing": "je|{other}",
    "other": (
        "ga|ih|to|sve|mu|joj|im|im to|mu to|joj to|ju|oba|obje|obe|svih|svoj {medicine}|svoje {medicine}"
        "|svoju {medicine}|moj {medicine}|{medicine}|oboje|nju|njih|ju"
    ),
    "am": "sam|smo",
    "lately": "jutros|danas|na vrijeme|na vreme|još jutros|čim sam ustala|čim sam ustao",
    "meal": (
        "(uz|s|sa|nakon|poslije|posle|prije|pre) "
        "(doručak|ručak|večeru|kavu|kafu|kavom|kafom|doručka|ručka|večere|vodom|vodu|jelo|jela)"
    ),
    "already": "već|odavno|već odavno",
    "just": "upravo|baš|maločas|maloprije|malopre|malo prije|malo pre|sad|sada|evo|danas|jutros|konačno|taman|netom"
    "|napokon|najzad|ranije",
    "sure": "[{already}|{just}] [{already}|{just}]",
    "again": "opet|ponovo|ponovno|još jednom|molim|molim te|samo",
    "about": "otprilike|oko|nekih|jedno|možda|cca|još|bar",
    "when": (
        "za [{about}] (<duration>|<number>) [otprilike]|kroz [{about}] <duration>|nakon <duration>|poslije <duration>"
        "|posle <duration>"
        "|na <duration>|<time>"
    ),
    "soon": (
        "kasnije|malo (kasnije|poslije|posle)|kasnije malo|nešto kasnije"
        "|poslije|posle|možda kasnije|kasnije danas|uskoro"
        "|ubrzo|odmah|brzo|za (čas|tren|trenutak|trenutak dva|par minuta|koji minut|koju minutu)|drugi put"
        "|neki drugi put"
    ),
    "now": "sad|sada|trenutno|u ovom trenutku|ovaj čas",
    "today": "danas|samo danas|večeras|ovaj put|ovoga puta|za danas|ovog puta",
    "dose": "(ovu|tu|današnju|jutarnju|večernju) [dozu|tabletu|pilulu|turu]|(ovaj|taj|današnji) [put|lijek|lek]|ovo",
    "place": (
        "(na|u) (poslu|autu|autobusu|busu|tramvaju|vlaku|vozu|školi|gradu|krevetu|trgovini|dućanu|prodavnici|uredu)"
        "|kod (doktora|liječnika|lekara)|vani|napolju|za volanom|pod tušem|na (putu|treningu|kavi|kafi|ručku|faksu)"
        "|nisam (doma|kod kuće|kući)|u (kolima|kinu|ambulanti|teretani)|kod (frizera|zubara)|na (plaži|sahrani|misi)"
    ),
    "reason": (
        "(otkazan|otkazana|otkazano) (je|mi je)|(čas|sat|trening|termin) je otkazan|otkazali su [ga|mi]|otkazan"
        "|otkazano"
        "|(bolestan|bolesna|prehlađen|prehlađena) sam|imam temperaturu"
    ),
    "reminder": ("to|ga|ovo|podsjetnik|podsetnik|taj podsjetnik|taj podsetnik|ovaj podsjetnik|ovaj podsetnik|alarm|me"),
    "will": "ću|ćemo",
    "act": "popiti|uzeti|obaviti|napraviti|uraditi|učiniti|završiti|riješiti|to|ga|je|ih",
    "drop": (
        "odustani|odustajem|prekini|otkaži|otkažite|poništi|stani|stanite|stop|preskoči|zaboravi|pusti|ostavi"
        "|obriši|izbriši|makni|ukloni|ugasi|isključi|skipaj|batali|mani|skloni|iskuliraj|ignoriraj|ignoriši|zanemari"
        "|prestani|odbaci|cancel"
    ),
    "could": "možeš|možete|možeš li|možete li|možeš li molim te|hoćeš li|bi li|bi li mogao|bi li mogla|da li možeš",
    "remind": "podsjeti|podseti|ponovi|podsjetite|podsetite|javi|javite|pitaj|pitajte|zovi|opomeni|probudi",
}
_PHRASES = {
    ReplyRole.YES: """
da|jest|jeste|dabome|dakako|mhm|bome|bogme [jesam]|sve pet|jes|aha|može|važi|vrijedi|vredi|dobro|u redu|u redu je
dobro je|sve u redu|sve ok
sve je u redu|naravno
svakako|tako je|potvrđujem|potvrđeno|slažem se|dogovoreno|točno|tačno
naravno da da|da da|je je|ajde dobro|bogme da|yes
da (jesam|jesmo|naravno|svakako)""",
    ReplyRole.HEARD: """
[sve] jasno|jasno mi je|razumijem|razumem|shvaćam|shvatam|primljeno|primljeno na znanje|zabilježeno|zabeleženo
odlično|vrlo dobro|bravo|sjajno|izvrsno
zvuči (dobro|super|odlično)""",
    ReplyRole.DONE: """
[sve|evo|to] [već] {finished} [je|sve|za danas]|(sve|evo|to) je [već] {finished}
[evo] {past} {am} [{thing}] [danas|jutros|sve|sad|sada|upravo]
[evo] {past} [{other} [{am}]] [danas|jutros|sve|sad|sada|upravo]|[ja|sve|to] {am} [{thing}] {past} [{thing}]
[evo] ({ready} {am}|{am} {ready}|ja {am} {ready}|{ready}) [sad|sada]|jesam|jesmo|evo jesam
jesam [,] {past} [{am}] [{thing}] [(u|oko) <clock> [h|sati]]|[to|sve] su [već] {finished}
evo gotovo|[sve|oboje|oba|obje|obe] {past} [{am}]|[sve|to] {am} {past} [sve]
{past} [{am}] [{thing}] {meal}|{meal} [{am}] [{thing}] {past}
{past} [{am}] [{thing}] (u|oko) <clock> [h|sati|časova|ujutro|ujutru]|(u|oko) <clock> [h|sati] {am} [{thing}] {past}
javio {am} se|javila {am} se|{am} se (javio|javila)
{past} {am} [{thing}] odmah|evo [baš|upravo|taman] (sad|sada) {am}|jesam {lately}|da [,] upravo
[evo] (popih|uzeh|platih|završih|uradih|obavih|napravih|kupih|poslah)|({finished}) su|svršeno|samo što {am} {past}
jesam [ja] [,] upravo|jesam ja|jesam (prije|pre) (par|nekoliko) minuta|{past} {am} (prije|pre) (par|nekoliko) minuta""",
    ReplyRole.ALREADY: """
(maločas|maloprije|malopre|malo prije|malo pre|{already}|upravo sad|upravo sada) [{am}]
(jutros) {am}|to {am} {already}|{past} {already}
evo [baš|taman|upravo] (sad|sada|upravo|baš|taman) [{am}] [{thing}] {past} [{am}] [{thing}]
({already}|{just}) {am} {sure} [{thing}] {past} [{thing}] [sve]|({already}|{just}) [{thing}] {past} [{am}] [{thing}]
[ja] {am} [{thing}] ({already}|{just}) [{thing}] {past} [{thing}]
({past}) {am} [{thing}] ({already}|{just}) [{thing}]|{past} {am} ga ({already}|{just})
{already} {am}|({already}|{just}) (jesam|jesmo|{finished}|je {finished}|{am} {ready})
(jesam|jesmo|{finished}) ({already}|{just})|(sve|to) (je|sam) ({already}|{just}) {finished}
{past} [{am}] [{thing}] (prije|pre) [{about}] <duration>
(prije|pre) [{about}] <duration> [{am}] [{thing}] {past} [{thing}]
({already}|ja) {am} [{thing}] {past} [{thing}] (prije|pre) [{about}] <duration>
[ja] {am} [{thing}] (prije|pre) <duration> {past} [{thing}]|({finished}|jesam) (prije|pre) [{about}] <duration>
je , ({just} {past} [{am}]|{past} {am}|gotovo)""",
    ReplyRole.NO: "ne|jok|nipošto|nikako",
    ReplyRole.DENY: """
nisam [nisam]|nisam [{thing}] ({past}|{ready}) [{thing}]|nije [{finished}]|nismo""",
    ReplyRole.DROP: """
(preskoči|preskači|zaboravi|ignoriraj|pusti|ostavi) {dose} [{today}|molim|molim te|hvala]
{drop} [{reminder}] [na miru|danas|za danas|molim|molim te|ovaj put|od toga|na to|s tim|sa tim]
ne treba [mi] [to|više|ništa] [danas|više|hvala|hvala ti]|ne trebam|ne trebaš [me|mi]|nije potrebno
nije [mi] potrebno [više|danas]
nema potrebe [za tim|više]|nepotrebno|više ne treba|ne više|nije nužno|(nije više|više nije) (potrebno|nužno)
danas preskoči|danas [mi] ne treba|prestani me (podsjećati|podsećati)
nemoj|nemojte|nemoj [me] više [podsjećati|podsećati]|nemoj [me] (podsjećati|podsećati|gnjaviti)
ne podsjećaj me [više]|ne podsećaj me [više]
nema veze|dosta|dosta je|svejedno|nebitno|nije bitno
više mi ne treba|ne (gnjavi|smaraj|davi) [me] [više]|nemoj da (smaraš|me smaraš)|(nemoj) {today}|sve jedno
ništa {today}|(otpada|propada) [{today}]|{today} (otpada|propada)|mani (to|me|me se)|pusti (stat|stajat)
nemoj me više pitati|prestani [da] (pitati|pitaš|me pitati)|(briši|brišite) [to]
nemoj [mi|me] više [da] (slati|šalješ|pisati)
nemoj me [više] (podsjećat|podsećat|podsjećati|podsećati) [na to|za to]""",
    ReplyRole.REFUSE: """
ne danas|danas ne|ne želim [to|više]|neću|neću to|neću danas|ne zanima me
[{today}] preskačem [{other}|je|{dose}] [{today}]
(preskočit ću|preskočiću|preskočit ćemo) [{other}|je|{dose}] [{today}]
{today} ću [{other}|je|{dose}] (preskočiti|preskočit)
{today} [{other}|je|{dose}] (neću|ne pijem|ne uzimam) [{other}|je|{dose}]|ne (pijem|uzimam) [{other}|je|{dose}] {today}
{today} (ništa|bez toga)
neću to {today}|ne želim {today}|ne ovaj put|{today} ne|ne {today}|ne da mi se [{today}]|[{today}] mi se ne da
ne idem {today}|{today} ne idem|mrzi me [{today}]|(skipam|skipujem) [{other}] [{today}]|{today} (skipam|skipujem)
neću (piti|uzeti|uzimati|ići)|neću
ne pijem [{other}|je] više|{today} odmaram
neću [to] više""",
    ReplyRole.NOT_YET: """
još ne|ne još|još nisam|nisam još|još (uvijek|uvek) (ne|nisam)|nisam još (uvijek|uvek)|ne mogu {now}
{now} ne mogu|ne {now}
{now} ne|kasnije|malo kasnije|poslije|posle|malo (poslije|posle)|nemam {now} (vremena|kad)|nemam (kad|vremena) [{now}]
ne stignem {now}|nemoj {now}|nisam (stigla|stigao|stigo|uspjela|uspio|uspela|uspeo) [još]|još nismo|još nije
moram (prvo|još|najprije)|trebam (prvo|još)|tek {am} [se]|nisam ni
još [uvijek|uvek] (radim|spavam|jedem|vozim|učim|kuham|kuvam|{am})
{now} {am}|čekaj (da|dok)|sačekaj (da|dok)|nemam još|trenutno {am}|baš {am} (u|na)|u gužvi {am} [{now}]|gužva je
polako
samo da|tek ću|budem kad|još se nisam|nemam (je|ga|ih) (kod|sa|uz)|kad (dođem|stignem|pojedem)
čim (dođem|stignem|jedem|pojedem)
nisam (doma|kod kuće|kući) [još]|evo za minut|evo za minutu""",
    ReplyRole.LATER: """
{soon}|ne {now}|{now} ne|ne baš {now}|nemoj {now}|još ne|ne još|još uvijek ne|još uvek ne|ne odmah|ne baš|još nisam
nisam još|još uvijek nisam|još uvek nisam|ne stignem [{now}]|ne mogu {now}|{now} ne mogu|trenutno ne mogu
ne mogu trenutno
[malo|jako|trenutno|{now}|ja] (zauzet|zauzeta) [{am}] [{now}]|{now} {am} (zauzet|zauzeta)|{am} (zauzet|zauzeta)
(jok|nope) još|još jok|[još] nisam [{thing}] (stigo|stigao|stigla|uspio|uspjela|uspeo|uspela|dospio|dospjela) [još]
nisam [još] (stigo|stigao|stigla|uspio|uspjela|uspeo|uspela|dospio|dospjela) [još|{thing}]
nisam [još] (imao|imala) [kad|kada|vremena]|[{am}] [{now}] {place} [{am}] [{now}]|jedem|ručam|kuham|kuvam
kad (dođem|stignem) (doma|kući)|(poslije|posle|nakon|iza) (ručka|večere|doručka|posla|kave|kafe|sastanka)
nemam [{now}] vremena [{now}]|{now} nemam vremena|na sastanku {am}|na sastanku|vozim|u gužvi {am}|radim
(čekaj|pričekaj|sačekaj|čekajte|stani malo) [malo|me|još malo|trenutak|još|{when}|<duration>|još <duration>]
(pričekajte|sačekajte) [malo|me|još malo|trenutak|još|{when}|<duration>|još <duration>]
samo (malo|trenutak|čas|sekundu|tren)|[još] [jedan] (trenutak|momenat|moment|čas|tren)|još malo [vremena]
još koju minutu|još koji minut|sekunda|sekundu
(daj|dajte) [mi] [još|samo] [{about}] (<duration>|malo vremena|još malo|malo|trenutak|par minuta|vremena)
(treba|trebam) [mi] još [malo|<duration>|vremena|malo vremena|par minuta]|treba mi (<duration>|još <duration>)
[za|još|samo] [još] (par|nekoliko) (minuta|minuti)|[za|još] nekoliko sati
[tek|onda|radije|bolje|samo|može] {when} [opet|ponovo|molim|onda]
[još|samo|samo još|bar|još] [{about}] <duration> [još|kasnije|vremena]
(još nisam|nisam još|još uvijek nisam|još uvek nisam) [{thing}] ({past}|{ready}) [{thing}]
nisam [{thing}] još {past}|još nije {finished}|nije još {finished}|nisam {ready}|još nismo|nisam {past} još
(skoro|zamalo|uskoro|umalo|napola|još malo pa|samo što nisam|samo što nije) [{am}] ({ready}|{finished}|{past})|skoro
[evo|eto] {now} {will} [{act}] [{thing}]|[evo] (odmah|uskoro|kasnije|poslije|posle|brzo) {will} [{act}] [{act}]
{ready} {am} {when}|{am} {ready} {when}|(bit|biti|biću|bićemo) [{will}] {ready} [{soon}|{when}]|budem {ready} {when}
({ready}|{finished}) {when}
{when} {will} [biti] [{thing}] [{ready}|{act}]|{when} {am} {ready}|(hoću|budem) [{soon}|{when}]|malo pričekaj
malo sačekaj
popit ću [{thing}] [{soon}|{when}]|popiću [{thing}] [{soon}|{when}]|uzet ću [{thing}] [{soon}|{when}]
uzeću [{thing}] [{soon}|{when}]|napravit ću [{thing}] [{soon}|{when}]|uradiću [{thing}] [{soon}|{when}]|evo odmah
evo sad|upravo radim|krećem|stižem|evo idem|idem [{now}|odmah]|nisam stigao|nisam stigla|na putu {am}
(odgodi|odgodite|odloži|odložite|pomakni|pomeri) [{reminder}] [za|na|do] [malo|{when}|{soon}|<duration>|<number>]
(pomjeri|prolongiraj|odgodi me|odgoditi|odložiti) [{reminder}] [za|na|do] [malo|{when}|{soon}|<duration>|<number>]
snooze [{reminder}] [za|na|do] [malo|{when}|{soon}|<duration>|<number>]
još nije|ne mogu|nemam kad
[velika] gužva|spavam|vozim {now}|još {am} {place}|(daj|dajte) mi (sekundu|tren|minut|minutu)|sekund|sekundica|sekundicu
samo sekund|skoro pa ({ready}|{finished})|zamalo|napola|na pola
nismo još|nije još|[totalno|skroz|potpuno] (zaboravila|zaboravio|zaboravih|zaboravija) [{am}] [{thing}]
drugom prilikom|rano je [još]|prerano [je]|(umorna|umoran) {am} [{now}]
[{other}] {future} [{thing}] [{soon}|{when}|{now}|odmah]|({soon}|{when}|{now}) {future} [{thing}]
[evo|upravo|baš] (pijem|uzimam|zovem|plaćam|šaljem|zalijevam|zalivam|perem|radim|rješavam) [{thing}] [{now}]
(prebaci|premjesti|pomakni|pomjeri|pomeri) [{reminder}] [na|za] [<time>]|(cimni|zvrcni) me [{again}] [{when}|{soon}]
na tome {am}|radim na tome|posle malo|(probat|pokušat) {will}|(probaću|pokušaću)|posle podne|poslije podne
samo minuta|(sad|sada) {am} {place}|(čekaj|sačekaj|pričekaj) da (dođem|stignem) (doma|kući)
imam (posla|puno posla|gužvu)|ne (stižem|stignem) [{now}]
(posle|poslije|nakon) (posla|ručka|večere|doručka) {will}|{soon} me (podsjeti|podseti|pitaj)""",
    ReplyRole.REMIND: """
[molim|molim te] {remind} [me|mi] [{again}] [se] [za to|na to|o tome] [{when}|{soon}] [{again}]
(javi|javite) se [{again}] [{when}|{soon}] [{again}]|(opet|ponovo|ponovno) [{when}|{soon}]
{when} me (podsjeti|podseti|pitaj) [{again}]|{when} [{again}] (podsjeti|podseti|pitaj) me|podsjeti me {soon} {again}
{when} [{again}] me [{again}] (pitaj|podsjeti|podseti)""",
    ReplyRole.ASK: """
{could} [me] [molim te] (podsjetiti|podsetiti|pitati) [me] [{again}] [na to|o tome] [{when}|{soon}] [{again}]
{could} da me (podsjetiš|podsetiš|podsjetite|podsetite|pitaš) [{again}] [na to|o tome] [{when}|{soon}] [{again}]
{could} [me] {when} [{again}] [me] (podsjetiti|podsetiti|pitati)
(mogu|mogu li|može|može li|smijem li) [dobiti] još [{about}] <duration>""",
    ReplyRole.AGO: "[{already}] (prije|pre) [{about}] <duration>",
    ReplyRole.JOIN: "ali|a|i|no ipak|ipak|nego|pa",
    ReplyRole.OTHER: """
gotovo [{am}] [{thing}] {past}|gotovo da|[{filler}] da ({am}|je|su|si|ste|se|ga|ih|bi|li|mi)|{filler} da
(dobro|lijepo|lepo|super|odlično) ({finished}|{past})|gotovo (sve|sav|nikad|ništa)
sve osim
ma [,] nemoj|nije da|[još] ne (znam|vidim|razumijem|razumem|kužim|sjećam se|sećam se)
[još] nisam [još] (siguran|sigurna)""",
    ReplyRole.MOCK: """
(ma|e|oh|haha|lol) [,] [da] [,] (da|jasno|naravno|svakako|odlično|super|bravo|top|perfect)
baš (jasno|dobro|super|odlično)|(haha|lol) [,] (dobro|fino|lijepo|lepo)""",
    ReplyRole.PARTING: "vidimo se [kasnije|uskoro]|čujemo se [kasnije|uskoro]",
    ReplyRole.THANKS: "hvala|hvala ti|hvala vam|hvala lijepa|hvala lepa|puno hvala|hvala puno|fala",
    ReplyRole.POLITE: """
hvala na (podsjetniku|podsjećanju|podsetniku|podsećanju)
molim|molim te|molim vas|oprosti|oprostite|izvini|izvinite|pardon
dobro jutro|dobar dan|dobra večer|dobro veče|laku noć|bok|zdravo|pozdrav|ćao|čao|bog|ej|hej|e|ma|ajde|hajde|evo|eto
pa da|znači|onda|zapravo|joj|uf|ups|brate|stari|draga|dragi|prijatelju|burazeru|ljubavi
srce|mama|mamo|tata|tato|šefe|bre|bato|ba|vala|majke mi|buraz|brale|legendo|dušo|zlato|sunce|kume|care|sine|ladno
nažalost|sori|sory|sorry|ups|uh|ne brini [se]|bez brige|hehe|ura|joj|živ bio|živa bila|matori|druže|šta ću|pls
možeš [to] (maknuti|maknut|skinuti|skinut|prekrižiti) s (liste|popisa)""",
}

REPLIES = ReplyWords(
    phrases=_PHRASES,
    macros=_MACROS,
    negations="ne|nije|nismo|nema|nemoj|nisam|još|više|neću|ovaj",
    future="za",
    at="u",
    until="poslije|posle|na|ne prije|ne pre|tek|sve do|do",
    openers="u|oko|danas|ovaj|iza",
    days=(
        "sutra|prekosutra|večeras|navečer|uveče|naveče|popodne|poslijepodne|poslepodne|ujutro|ujutru|podne|ponoć"
        "|ponedeljak|sredu"
        "|ponedjeljka|ponedeljka|utorka|srijede|srede|četvrtka|petka|subote|nedjelje"
    ),
    inner=(
        "u|oko|č|časova|sati|sata|sat|h|ujutro|ujutru|jutro|prijepodne|prepodne|poslijepodne|poslepodne|noću|pola|pol"
        "|i|idući|sljedeći|sledeći|idućeg|četvrt|frtalj|petnaest"
    ),
    plus="i",
    half="pol|pola|po",
    more="još|dodatnih|ak",
    lengths={
        1: "minutu|minut",
        15: "četvrt sata|frtalj sata",
        30: "pola ure|pola sata|pola h|pola sat|po sata|pol sata|pola sata vremena|pol ure|pola časa|polsata",
        45: "tri četvrt sata",
        60: "sat|sat vremena|uru",
        120: "par sati",
        90: "sat i pol|sat i pola|sat i po|sat ipo|sat ipol|sat i pol vremena",
        1440: "dan",
    },
    numbers={2: "dvi", 10: "desetak", 15: "petnaestak", 20: "dvadesetak", 30: "tridesetak"},
    typed={
        "san": "sam",
        "nisan": "nisam",
        "jesan": "jesam",
        "moren": "mogu",
        "vrimena": "vremena",
        "posli": "poslije",
        "cek": "čekaj",
        "ček": "čekaj",
        "al": "ali",
        "gotvo": "gotovo",
        "goovo": "gotovo",
        "jesma": "jesam",
        "ejsam": "jesam",
    },
    units={Unit.MINUTE: "minutica|minutice", Unit.HOUR: "satić|ure"},
    no_negates=True,
)
