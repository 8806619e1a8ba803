"""How people ask in Croatian and Serbian, which are read with the same words in both alphabets."""

from __future__ import annotations

from duly.language.requests.form import RequestWords

WORDS = RequestWords(
    code="hr",
    courtesies=(
        "molim te|molim|molim vas|hvala|hvala ti|ej|hej|bok|cao|ćao|zdravo|ok|okej|daj|ajde|hajde|de|duly|pls|plz"
        "|e|aj|hvala puno|fala|lp|zahvaljujem|ma|samo|ti|budi dobar|brate|bre|please|dobar dan|sad|sada"
        "|molim lijepo|molim lepo|molim te lijepo|puno hvala|hvala lijepa|hvala lepo|hvala unaprijed"
        "|hvala unapred|thx|tnx|hey|hi|alo|halo|oj|pozdrav|poz|dobro jutro|dobro veče|dobra večer|dobra vecer"
        "|dobar|hej duly|bok duly|zdravo duly|čuj|cuj|slušaj|slusaj|e da|a da|usput|btw|brzo|samo malo|sori|sorry"
        "|oprosti|izvini|stari|burazeru|buraz|druže|prijatelju|pliz|plis|ako možeš|ako mozes|ako može|ako moze|pa"
        "|i|onda|no|dakle|znači|znaci|dragi|draga|super|bogati|molimte|mtp|unaprijed hvala"
    ),
    courtesy_verbs="daj|slušaj|čuj|oprosti",
    greetings=(
        "hvala|hvala ti|hvala puno|puno hvala|hvala lijepa|hvala lepo|fala|zahvaljujem|bok|ćao|cao|zdravo|hej|ej"
        "|halo|alo|dobar dan|dobro jutro|dobra večer|dobro veče|pozdrav|oprosti|izvini|sori|sorry|thx|tnx|hey|hi"
    ),
    sayings=(
        "reci|reći|recite|kaži|kazati|kažem|rečem|kažemo|poruči|poručiti|poručim|napiši|napisati|napišem|piši"
        "|pisati|pošalji|poslati|pošaljem|poželi|poželjeti|poželeti|poželim|javi|odgovori|odgovoriti|odgovorim"
        "|viknuti|vikni"
    ),
    tells_whom="reci|reći|recite|kaži|kazati|kažem|rečem|poruči|poručiti|poručim|poželi|poželjeti|poželeti|poželim",
    unfinished="jedno|jedan|jednu|moj|moja|moje|tvoj|tvoja|veliko|veliki|s|sa|za|od|uz|malo",
    askings=(
        "(možeš/mozes/mož/moz/možete/mozete/moš/mos) (li/) (me/mi/) (molim te/molim/) (da/)"
        "|(možeš/mozes/možete/mozete) (li/) (da/) (me/mi/)"
        "|(jel/je li/je l/da li) (me/) (možeš/mozes/bi mogao/bi mogla/bi) (da/) (me/mi/) (molim te/)"
        "|(bi/da li bi/jel bi/bi li) (me/mi/) (mogao/mogla/htio/htela/hteo/htjela) (da/) (me/mi/)"
        "|mogao bi (me/) (li/)|mogla bi (me/) (li/)"
        "|(hoćeš/hoces/hoćete/hocete/oćeš/oces) (li/) (da/) (me/mi/) (molim te/)"
        "|(želim/zelim/hoću/hocu/htio bih/htela bih/hteo bih/htjela bih/voleo bih/volela bih) (da/) (me/mi/)"
        "|(treba/trebaš/trebas/trebao bi/trebala bi) (da/) (me/mi/)|daj (me/mi/)|ajde (me/mi/)|nemoj zaboraviti"
        "|budi ljubazan i|budi tako dobar i|budi tako dobar pa|budi tako dobra pa|molim te (me/mi)"
    ),
    leads=(
        "(podsjeti/podseti/posjeti/poseti/podsijeti/podsjeti/pods jeti/potseti/potsjeti/podsjetite/podsetite/"
        "podsjetiti/podsetiti/podsjetit/podsetit/podsjetiš/podsetiš/podsjetis/podsetis/opomeni/upozori/sjeti/"
        "seti/podsjećaj/podsećaj/podsjecaj/podsecaj/podsjećajte/podsećajte/podsjecajte/podsecajte) (me/mi)"
        " (opet/ponovo/molim te/molim/pls/)|me (podsjećaj/podsećaj/podsjecaj/podsecaj)"
        "|me (podsjeti/podseti/podsjetite/podsetite/podsjetiti/"
        "podsetiti/podsjetit/podsetit/podsjetiš/podsetiš/podsjetis/podsetis/sjeti/seti/sjetiš/setiš/setis/"
        "sjetis) (opet/ponovo/molim te/molim/)"
        "|(podsjetiti/podsetiti/podsjetit/podsetit/podsjetiš/podsetiš/podsjetis/podsetis)"
        "|da me (podsjetiš/podsetiš/podsjetis/podsetis/sjetiš/setiš/setis)|(napravi/dodaj/postavi/stavi/daj/"
        "kreiraj/namjesti/namesti/upiši/upisi/zapiši/zapisi/ubaci/stvori/napraviti/dodati/postaviti/staviti/"
        "dodaš/napraviš/postaviš/staviš) (mi/nam/) (molim te/) (jedan/novi/) (podsjetnik/podsetnik)"
        "|(treba/treba mi/trebam/želim/zelim/hoću/hocu) (jedan/) (podsjetnik/podsetnik)"
        "|(novi/jedan/) (podsjetnik/podsetnik)|(nemoj/ne smijem/ne smem/nesmijem/nesmem/ne bih smio/"
        "ne bih smela) (da/) (zaboraviti/zaboravim/zaboravit)"
        "|nemoj (da/dopustiti da/dozvoliti da/dati da/mi dati da) (zaboravim/ja zaboravim)"
        "|(ne daj/nemoj dati/ne dozvoli/ne dopusti/nemoj dozvoliti/nemoj mi dati) (mi/) da (ne/) zaboravim"
        "|(samo/) da ne (zaboravim/bih zaboravio/bih zaboravila/bi zaboravio/bi zaboravila)|da se (sjetim/setim)"
        "|pingaj me|cimni me|cimaj me|javi mi (se/) (opet/)|nemoj da zaboravim"
    ),
    weak_leads=(
        "ne (zaboravi/zaboraviti/zaboravit)|nemoj (zaboraviti/zaboravit)|ne zaboravi me podsjetiti|napomena"
        "|bilješka|biljeska|beleška|beleska|zapiši|zapisi|zapamti|todo|(reci/javi) mi da|upamti|zabilježi"
        "|zabiljezi|zabeleži|zabelezi|bitno|važno|vazno|obavijesti me|obavesti me|obvijesti me|upiši|upisi"
        "|moram se sjetiti|moram da se setim"
    ),
    end_leads=(
        "(pa/i/zato/molim te/molim/pls/plz/daj/ajde/aj/možeš/mozes/hoćeš/) (me/) (podsjeti/podseti/podsjetite/"
        "podsetite/opomeni/sjeti/seti) (me/) (na to/to/za to/molim te/molim/pls/opet/)"
        "|(možeš/mozes) (li/) (me/) (podsjetiti/podsetiti/podsjetit/podsetit)"
        "|(možeš/mozes) (li/) (da/) me (podsjetiš/podsetiš/podsetis/podsjetis)|(podsjetiti/podsetiti) me"
        "|(da/) me (podsjetiš/podsetiš/podsetis/podsjetis)"
        "|(nemoj/ne smijem/ne smem/nesmijem/nesmem) (to/) (da/) (zaboraviti/zaboravim/zaboravit)"
        "|nemoj (da/) (mi/) (to/) zaboravim|da (to/) ne (zaboravim/zaboravim to)|(javi/javiš) mi"
        "|javi mi (molim te/pls)|(podsjetnik/podsetnik) (molim/molim te/)|treba mi (podsjetnik/podsetnik)"
        "|(stavi/napravi/postavi/dodaj) (mi/) (podsjetnik/podsetnik)|ne zaboravi|nemoj zaboraviti"
        "|da se (sjetim/setim)"
    ),
    musts=(
        "(moram/trebam/treba/trebalo bi/trebao bih/trebala bih/imam/hoću/hocu/želim/zelim/planiram/idem/ću/cu/"
        "morat ću/moracu/moraću/moramo/trebamo/imamo/ja moram/ja trebam) (da/)|ja (imam/idem)|mi (moramo/trebamo)"
        "|treba (da/mi/nam)|dolazi mi|da"
    ),
    wakes=(
        "(probudi/budi/probudite/probuditi/probudit/probudiš/probudis/digni/zbudi) (me/nas) (molim te/molim/)"
        "|me (probudi/budi/probuditi/probudit/probudiš/probudis/digni)|(probuditi/probudit)|(navij/namjesti/"
        "namesti/postavi/stavi/daj/uključi/napravi) (mi/) (budilicu/budilnik/alarm za buđenje/alarm za budjenje/"
        "buđenje/budjenje/budenje)|budilica|budilnik"
        "|(moram/trebam/treba) (da/) (ustati/ustanem/ustat/se ustati/se dignuti)|buđenje|budjenje"
    ),
    alarms=(
        "(navij/navijte/namjesti/namesti/postavi/stavi/daj/uključi/ukljuci/napravi/dodaj) (mi/) (jedan/) (alarm/"
        "tajmer/timer/štopericu)|(alarm/tajmer/timer)"
    ),
    alarm_text="alarm",
    statements=(
        "ja|ti|on|ona|ono|mi|vi|oni|me|te|ga|vas|ih|mu|joj|nam|vam|im|mene|tebe|tebi|tvoj|tvoja|tvoje|naš|tko|ko"
        "|šta|sta|što|sto|kad|kada|gdje|gde|zašto|zasto|kako|koji|koja|koje|koliko|je|nije|sam|si|smo|ste|su"
        "|nisam|nisi|nismo|niste|nisu|bio|bila|bilo|bili|bile|će|ce|ću|cu|ćeš|ces|ćemo|cemo|ćete|neće|nece|neću"
        "|necu|bih|bi|bismo|ima|imaš|imas|imamo|nema|nemam|može|moze|mogu|možeš|mozes|možemo|treba|trebaš|mora"
        "|moraš|hoće|hoce|hoću|hocu|ide|idemo|idu|dolazi|dolaze|stiže|stize|polazi|kreće|krece|počinje|pocinje"
        "|završava|zavrsava|otvara|zatvara|rade|pada|voli|vole|ne|nije|nikad|već|vec|još|jos|jučer|jucer|juče"
        "|juce|prošli|prosli|prošle|prosle|ok|okej|možda|mozda|ako|jer|ali|nego|vidimo|vidimo se|čujemo|cujemo|se"
        "|dobro|dobar|dobra|lijepo|lepo|super|odlično|odlicno|loše|lose|fin|fino|umoran|umorna|vrijeme|vreme"
        "|hladno|vruće|vruce|hvala|bok|zdravo|ćao|cao|laku|dobro jutro|između|izmedu|izmedju|otprilike|jako|baš"
        "|bas|tako|haha|lol|podsjetnik|podsetnik|podsjeti|podseti|podsjetnike|podsetnike|otkazano|pomaknuto|sve"
        "|svi|netko|neko|nitko|niko|ovo|ono|valjda|znači|kaže|kaze|rekao|rekla|došao|dosao|došla|dosla|otišao"
        "|otisao|leti|slijeće"
    ),
    lone_statements=(
        "ovdje|ovde|tamo|gotov|gotova|gotovo|slobodan|slobodna|kasno|rano|kući|kuci|doma|tu|spreman|spremna|budan"
        "|budna|zauzet|zauzeta|na poslu|na putu|kod kuće|može|moze|bolestan|bolesna|umoran|umorna"
    ),
    statement_ends=r"^\w{2,}[aeiu]m(?:o)?$(?<!problem)(?<!sistem)(?<!program)(?<!krem)(?<!album)(?<!prijem)(?<!pregled)|^\w{3,}(?:ao|eo|io|uo)$(?<!radio)(?<!video)(?<!studio)(?<!posao)|^\w{3,}(?:la|li|lo)$(?<!škola)(?<!skola)(?<!stola)(?<!odijelo)(?<!odelo)(?<!djelo)(?<!delo)(?<!sijelo)(?<!jelo)(?<!mlijeko)(?<!čelo)(?<!ulje)(?<!cola)(?<!vila)(?<!sala)(?<!šala)",
    others="podsjeti|podseti|podsjetite|podsetite",
    and_words="i|te|&|kao i",
    selves="me|mene",
    first_lead="podsjeti me",
    joints=(
        "da|na to da|na|za|o|kako|što|sto|u vezi|vezano za|da moram|moram|da trebam|da treba da|treba da|na to"
        "|da se|da ne|da ne zaboravim|da moramo|da bih|da bi|da imam|da idem|vezano uz|u vezi s|u vezi sa|oko"
        "|zbog|radi|s|sa|s obzirom na|jer|treba|trebam|moram da|da moram da|da trebam da|je|tekst|na moj|na moju"
        "|na moje|na naš|opet na|opet da|ponovo da|ponovo na|nazvan|naslov|imam|kod"
    ),
    befores="prije|pre|poslije|posle|nakon|ranije",
    before_times="jučer|juče|prekjučer|prekjuče|prije|pre|prošli|prošle|prošlog|prošlu",
    behind_times="jučer|juče|do|sve do",
    alternatives="ili",
    zone_nouns="vrijeme|vreme",
    infinitive="da",
    titles="gosp|gđa|gđe|gđi|gđu",
    title_nouns="gospodin|gospodina|gospodinu|gospodinom|gospođa|gospođe|gospođi|gospođu|gospođom|gospođica|gospođicu",
    days_small=True,
    doses=(
        "mg|mcg|µg|g|ml|dl|l|ie|ij|jedinica|jedinice|jedinicu|kap|kapi|kapljica|kapljice|kapljicu|tableta"
        "|tablete|tabletu|tbl|pilula|pilule|pilulu|kapsula|kapsule|kapsulu|udah|udaha|potez|poteza|žlica"
        "|žlice|žlicu|kašika|kašike|kašiku|žličica|žličice|kašičica|doza|doze|dozu|vrećica|vrećice|flaster"
        "|flastera|ampula|ampule|injekcija|injekcije|injekciju|čaša|čaše|vitamina|kom|komada|komad|sprej|%"
        "|posto|kg|lijeka|leka"
    ),
    plurals="a|e|i",
    parts_said=(
        "ujutro|ujutru|izjutra|prijepodne|prije podne|pre podne|popodne|poslijepodne|poslije podne"
        "|posle podne|navečer|uvečer|uveče|naveče|noću|u noći|u podne|u ponoć"
    ),
    part_nouns="jutro|večer|veče|večera|noć",
    part_things="večera",
    opens_end=(
        "dok ne|dok|sve dok|do kraja|dokle god|sve do|dokle|do uskrsa|do božića|do bozica|do nove godine|do vaskrsa"
        "|zaključno s|zaključno sa|zaključno do|do zaključno|do daljnjega|do daljnjeg"
    ),
    hangers="na",
    opens_start=(
        "ako boli|ako zaboli|ako me boli|ako bude bolilo|kad boli|u slučaju bolova|"
        "po potrebi|ako treba|ako zatreba|ako bude trebalo|ako boli|ako me boli"
        "|počevši|počevši od|čim|od kad|od kada|s početkom"
    ),
    opens_exception="ali ne|osim|osim ako|osim kad|osim kada|sem|izuzev|ali samo|jedino ne|samo ne",
    bounds=(
        "bez|ne|nikad|nikada|samo ne|s iznimkom|sa iznimkom|s izuzetkom|sa izuzetkom|krenuvši od|krenuvši"
        "|počevši s|počevši sa|počevši|počev|s početkom u|sa početkom u|zaključno|završno s|završno sa|do"
        "|sve do|isključujući|preskoči|preskačući"
    ),
    occasions=(
        "uskrs|uskrsa|vaskrs|vaskrsa|božić|božića|praznik|praznika|praznike|praznicima|blagdan|blagdana"
        "|blagdanima|blagdane|nova godina|nove godine|raspust|raspusta|odmor|odmora|ljeto|ljeta|leto|leta"
        "|zima|zime|proljeće|proljeća|jesen|jeseni"
    ),
    danglers="za|u|na|od|je|i to|točno|tačno|tocno|tacno|negdje|negde|tamo|dana|dan",
    asks_what=(
        "(što/šta/sta/sto/šo/so/kaj/ča/ca/čo) (imam/ima/imamo/iman/sve imam/sve ima/sve imamo/je/slijedi/sledi/"
        "me čeka/me ceka/nas čeka/nas ceka/moram/moramo/trebam/treba/je na redu/je planirano/je zakazano/"
        "je u planu/je na rasporedu/je na programu/dolazi/planiram/mi predstoji/sam planirao/sam planirala/"
        "još imam/jos imam/ima novo/ima novog/radim/radimo/mi je na rasporedu/mi je u planu/mi se sprema/"
        "se događa/se dogada/se dešava/se desava/ćemo/imaš za mene/imas za mene) (još/jos/sve/novo/)|(imam/imamo/"
        "ima) (li/l/) (što/šta/sta/sto/nešto/nesto/išta/ista/ikakve obaveze/ikakvih obaveza/kakve obaveze/"
        "kakav podsjetnik/kakav podsetnik/obaveza/obaveze/podsjetnike/podsetnike/planova/planove/još nešto/"
        "jos nesto/koji termin/termina/ikakav podsjetnik/ikakvih podsjetnika/ikakvih podsetnika/kaj)|(jel/je l/"
        "je li/da li/dali) (imam/ima/imamo) (što/šta/sta/sto/nešto/nesto/išta/ista/obaveza/obaveze/podsjetnike/"
        "podsetnike/planova/kaj/)"
        "|(koje/kakve) (podsjetnike/podsetnike/obaveze/termine/planove/zadatke) (imam/imamo/su)"
        "|koji su mi (podsjetnici/podsetnici/planovi/termini)|(raspored/plan/obaveze) (za/)"
        "|(kakav/koji) (je/mi je) (raspored/plan/dan/tjedan)"
        "|(kakva/koja) (mi je/je) (sutra situacija/nedelja/sedmica)|nešto|nesto"
        "|ima li (nešto/nesto/šta/sta/što/sto/ičega/icega)|kako (mi/) (izgleda/stojim)"
        "|kako mi izgleda (dan/tjedan)|kakvi su planovi|što je (novo/)|planovi (za/)"
        "|(što/šta/sta/sto) je (danas/)|ima nešto|ima nesto"
    ),
    shows=(
        "pokaži|pokazi|prikaži|prikazi|pokaži mi|pokazi mi|prikaži mi|prikazi mi|izlistaj|daj|daj mi|popis|lista"
        "|vidi|navedi|(pokaži/pokazi/prikaži/prikazi/pokaz/izlistaj/nabroji/ispiši/ispisi/navedi/pročitaj/"
        "procitaj/reci) (mi/nam/) (molim te/)|(možeš mi/mozes mi/) (pokazati/prikazati)|da vidim|daj da vidim"
        "|želim vidjeti|zelim da vidim|hoću da vidim|pogledaj|spisak|pregled"
    ),
    list_fillers=(
        "za|u|na|moj|moje|moja|mi|me|sve|svi|od|podsjetnika|podsjetnike|podsjetnici|podsetnike|podsetnici"
        "|podsetnika|podsjetnik|podsetnik|raspored|plan|obaveze|obaveza|planirano|rasporedu|zakazano|imam"
        "|da uradim|uraditi|napraviti|radim|da radim|na redu|sve moje|li|to|kalendar|kalendaru|popis|listu|lista"
        "|planu|u planu|ovaj|koje|predstojeće|danas li|još|jos|ima|nešto|nesto|šta|sta|što|sto|išta|li što|novo"
        "|aktivne|aktivni|aktivnih|zakazane|zakazani|spremljene|zadatke|zadaci|zadataka|termine|termini|termina"
        "|kod mene|od obaveza|od podsjetnika|od podsetnika|preko|tijekom|tokom|ove|ovog|ovu|sutrašnji|današnji"
        "|idući|obvezе|obveza|obveze|planove|planovi|planova|da napravim|je|na programu|programu|svoje|svih"
        "|spisak|pregled|do|dana|dan|cijeli|ceo"
    ),
    nouns=(
        "podsjetnike|podsetnike|podsjetnici|podsetnici|podsjetnika|podsetnika|podsjetnik|podsetnik|raspored"
        "|obaveze|plan|popis|kalendar|obveze|planove|planovi|spisak|zadatke|zadaci|termine|termini"
    ),
    today=(
        "danas|danasnji dan|večeras|veceras|danas popodne|danas poslijepodne|danas navečer|danas navece"
        "|danas uveče|danas uvece|ovaj dan|dan|dns|današnji dan|za danas|danas jos|danas još|navečer|noćas"
    ),
    tomorrow=(
        "sutra|sjutra|sutra ujutro|sutra ujutru|sutra popodne|sutra navečer|sutra uveče|sutrasnji dan"
        "|sutrašnji dan|za sutra|sutra poslijepodne|sutr"
    ),
    week=(
        "ovaj tjedan|ove nedelje|ove sedmice|tjedan|sedmicu|sedmica|ovu nedelju|ovog tjedna|ove nedjelje"
        "|ovu sedmicu|nedelju dana|tjedan dana|sljedećih 7 dana|sledećih 7 dana|narednih 7 dana|ovaj tj|ovog tj"
        "|tekući tjedan|ostatak tjedna|ovih dana|ovu ned|ova nedelja|ova sedmica|sljedećih par dana|idućih dana"
        "|sedam dana|7 dana|ove ned|do kraja tjedna|do kraja nedelje"
    ),
    next_week=(
        "(sljedeći/sljedeci/slijedeći/slijedeci/idući/iduci/sljedećeg/sljedeceg/idućeg/iduceg/naredni/"
        "drugi) (tjedan/tjedna/tj)|(sledeća/sledeca/sledeće/sledece/sledeću/sledecu/sljedeća/sljedeće/sljedeću/"
        "sljedecu/iduća/iduća/iduće/iduce/iduću/iducu/naredna/naredne/narednu/sledece) (nedelja/nedelje/nedelju/"
        "nedjelju/nedjelje/sedmica/sedmice/sedmicu)|u (sljedećem/sljedecem/idućem/iducem/narednom) tjednu"
        "|(u sledećoj/u sledecoj/u narednoj) (nedelji/sedmici)"
    ),
    weekend=(
        "(za/ovaj/preko/tijekom/tokom/ovog/kroz/sljedeći/sledeći/idući/) (vikend/vikenda/vikendom)"
        "|ove subote i nedjelje"
    ),
    everything=(
        "sve|svi|svim|svime|sve podsjetnike|sve podsetnike|moje podsjetnike|moje podsetnike|sve moje podsjetnike"
        "|sve moje podsetnike|podsjetnike|podsetnike|svaki podsjetnik|svaki podsetnik|sve obavijesti|obavijesti"
        "|sva obaveštenja|sve to|baš sve|bas sve|skroz sve|cijeli raspored|sva obavjestenja|sva obavestenja"
        "|sve poruke|poruke|notifikacije|sve notifikacije|svih podsjetnika|svih podsetnika|svi podsjetnici"
        "|svi podsetnici|sve obaveze|ama sve|sve redom|sve zajedno|obavještenja|obaveštenja|alarme|sve alarme"
    ),
    moves=(
        "mi (pomakni/pomeri/pomjeri/prebaci/premjesti/premesti/odgodi/odloži/odlozi)|"
        "(pomakni/pomeri/pomjeri/pomici/pomiči/prebaci/premjesti/premesti/odgodi/odloži/odlozi/prolongiraj/"
        "prebukiraj/pomaknuti/pomaknut/pomeriti/pomerit/pomjeriti/pomjerit/prebaciti/prebacit/premjestiti/"
        "premestiti/odgoditi/odgodit/odložiti/odloziti/odlozit/pomakneš/pomaknes/pomeriš/pomeris/pomjeriš/"
        "pomjeris/prebaciš/prebacis/premjestiš/premestiš/premestis/odgodiš/odgodis/odložiš/odlozis/pomaknite/"
        "pomerite/prebacite/pomakn/pomjerite/odgodite) (mi/molim te/pls/)"
        "|(promijeni/promeni) (vrijeme/vreme/termin) (za/od/)|(pomakni/pomeri/pomjeri) (unaprijed/unapred/ranije)"
        "|(pomjeranje/pomeranje)"
    ),
    weak_moves=(
        "(promijeni/promeni/stavi/namjesti/namesti/zakaži/zakazi/prebukiraj/promijeniti/promeniti/promijeniš/"
        "promeniš/staviti/staviš) (mi/)"
    ),
    earlier_moves="(pomakni/pomeri/pomjeri) (unaprijed/unapred/ranije)",
    move_to="na|za|do|u|za u|na u|tek u|tek za|kod|tek|prema|umjesto toga na|umesto toga na|ipak na|radije na|oko",
    weak_to="na|za|za u|ipak na|radije na|na u",
    move_by="za|za još|za jos|za oko|još|jos|ranije za|kasnije za|unaprijed za|unapred za|na",
    later="kasnije|kasniji|poslije|posle|unatrag|dalje|naknadno|docnije|više",
    earlier="ranije|prije|pre|unaprijed|unapred",
    cancels=(
        "(otkaži/otkazi/obriši/obrisi/izbriši/izbrisi/ukloni/makni/skini/izbaci/poništi/ponisti/briši/brisi/"
        "odbaci/otkažite/otkazite/obrišite/obrisite/izbrišite/otkazati/otkazat/obrisati/obrisat/izbrisati/"
        "izbrisat/ukloniti/maknuti/skinuti/izbaciti/otkažeš/otkazes/obrišeš/obrises/izbrišeš/izbrises/ukloniš/"
        "uklonis/makneš/maknes) (mi/molim te/pls/)|(poništi/ponisti) (podsjetnik/podsetnik)|(nemoj/ne) (me/"
        ") (više/vise) (podsjećati/podsjecati/podsećati/podsecati/podsjećaj/podsjecaj/podsećaj/podsecaj/podsjeti/"
        "podseti) (me/) (na/za/da/o/)"
        "|(nemoj/ne) me (podsjećati/podsjecati/podsećati/podsecati) (više/vise) (na/za/da/o/)"
        "|ne (podsjećaj/podsjecaj/podsećaj/podsecaj) me (više/vise) (na/za/da/o/)|(zaboravi) (na/za/)"
        "|(ne treba/ne trebaju/netreba/netrebaju/ne trebam) (mi/) (više/vise)"
        "|(ne treba/ne trebaju) mi…(više/vise)|…(mi/) (ne treba/ne trebaju/netreba/netrebaju) (mi/) (više/vise)"
        "|(više/vise) (mi/) (ne treba/ne trebaju/netreba) (mi/)|…(više/vise) (mi/) (ne treba/ne trebaju)"
        "|(ništa/nista) od|(prestani/prekini) me (podsjećati/podsjecati/podsećati/podsecati) (na/za/da/o/)"
        "|prestani da me (podsećaš/podsecas/podsjećaš) (na/za/da/o/)|otpada"
        "|…(otpada/je otkazan/je otkazana/je otkazano/otkazan/otkazana/otkazano)"
    ),
    cancel_it=(
        "(otkaži/otkazi/obriši/obrisi/izbriši/izbrisi/ukloni/makni) (to/ga/ju/ovo/taj podsjetnik/ovaj podsjetnik/"
        "taj podsetnik/ovaj podsetnik/zadnji/zadnji podsjetnik/poslednji podsetnik)"
    ),
    move_it=("(pomakni/pomeri/pomjeri/prebaci/premjesti/premesti/odgodi/odloži/odlozi) (to/ga/ju/ovo)"),
    skip_it=("(preskoči/preskoci) (to/ga/ju/ovo)"),
    sure_cancels="otkaži|otkazi|obriši|obrisi|izbriši|izbrisi|ukloni|poništi|ponisti|otkazati|obrisati|izbrisati",
    skips="preskoči|preskočite|preskočiti",
    skip_ends="jednom|ovaj put|sljedeći put|sledeći put|idući put",
    pauses=(
        "(pauziraj/pauziraj/pauzirajte/pauzirati/pauzirat/pauziraš/pauziras/zaustavi/zaustavite/utišaj/utisaj/"
        "obustavi/stopiraj/isključi/iskljuci/ugasi/zamrzni/smiri/deaktiviraj/onemogući/onemoguci/prekini/mutaj/"
        "zaustaviti/isključiti/iskljuciti/utišati/stišaj/stisaj) (mi/molim te/pls/)"
        "|(stavi/staviti/staviš) (mi/) na (pauzu/čekanje/cekanje/stop/hold)"
        "|(stavi/staviti/staviš) (mi/)…na (pauzu/čekanje/cekanje/stop/hold)"
        "|privremeno (zaustavi/isključi/iskljuci/obustavi)|(napravi/daj) (pauzu/pauza) (s/sa/za/od)"
        "|pauza (za/s/sa/od)|stani sa|stani s|stop"
    ),
    weak_pauses=(
        "(budi/ostani) (tiho/tih/miran/mirna/tiha)"
        "|(šuti/suti/ćuti/cuti/ušuti/usuti/tišina/tisina/tiho/pauza/začepi/umukni)"
        "|(pusti/ostavi) me (na miru/namiru)|(pusti/ostavi) me…na miru|(bez/nikakvih/nikakve) (podsjetnika/"
        "podsetnika/obavijesti/obavesti/obaveštenja/poruka/notifikacija/podsjetnike/podsetnike)|(ne/nemoj) (me/"
        "mi) (smetati/ometati/gnjaviti/javljati/slati ništa/slati nista/slati/zvati/pisati/podsjećati/podsjecati/"
        "podsećati/podsecati/uznemiravati)|ne (smetaj/ometaj/gnjavi/smaraj/uznemiravaj/uznemiravaj) (me/mi/)"
        "|nemoj me (smarati/buditi/dirati)|ne smaraj|daj mi mira|napravi pauzu|pravi pauzu|stani"
    ),
    resumes=(
        "(nastavi/nastavite/nastaviti/nastavit/nastaviš/nastavis) (sa/s/slati/podsjećati na/podsećati na/"
        "podsecati na/podsjecati na/opet/)|(ponovo/ponovno/opet) (pokreni/aktiviraj/uključi/ukljuci/upali/pali)"
        "|(aktiviraj/uključi/ukljuci/vrati/pokreni/odpauziraj/otpauziraj/reaktiviraj/upali/odmrzni/odmuti/"
        "uključite/vratiti/uključiti/aktivirati) (mi/opet/ponovo/ponovno/natrag/nazad/)"
        "|(uključi/ukljuci/aktiviraj/pokreni/upali/vrati)…(opet/ponovo/ponovno/natrag/nazad)"
        "|(kreni/počni/pocni) (opet/ponovo/) (sa/s)|makni pauzu (s/sa/za)|prekini pauzu (za/s/sa)"
    ),
    until="do|sve do|do iza|najmanje do|barem do|bar do|do u|sve do u",
    for_length=(
        "na|za|sljedeća|sljedeće|sledeća|sledeće|naredna|naredne|iduća|iduće"
        "|sljedećih|sledećih|narednih|tokom|sljedecih|sledecih|idućih|iducih|tijekom|u sljedećih|u narednih"
        "|jedno|cijeli|cijelu|celu"
    ),
    from_now="za",
    nows="sad|sada|odmah",
    at_hour="u",
    articles=(
        "moj|moju|moje|mog|mojeg|taj|tu|to|onaj|onu|ono|ovaj|ovu|podsjetnik|podsetnik|podsjetnike|podsetnike|za"
        "|na|o|s|sa|termin|kod|da|mi|me|podsjetnik za|podsetnik za|podsjetnik na|podsetnik na|mojih|naš|našu|naše"
        "|tom|tih|te|one|ovih|svoj|svoje|svoju|svog|u vezi|vezano za|sastanak s|onaj za|ono za|ono s|ono sa|to za"
        "|to s|to sa|stvar s|stvar sa|obavezu|obavezu za|alarm za|termin za|termin kod|onaj podsjetnik za"
        "|onaj podsetnik za|dogovor"
    ),
    determiners="moj|moja|moje|naš|naša|naše|tvoj|tvoja|tvoje|ovaj|ova|ovo|taj|ta|to|onaj|ona|ono|njegov|njezin|njen",
    pronouns=(
        "to|ga|ih|ju|je|njega|taj|tu|ono|ovo|zadnji|poslednji|mi|me|njih|ta|oni|one|zadnje|poslednje|posljednje"
        "|posljednji|ovaj|ovu|onaj|te|nju|mene"
    ),
    undos=(
        "(poništi/ponisti/vrati/opozovi/undo/poništite/ponistite/poništiti/ponistiti/vratiti/povuci/povrati/"
        "ponistavam/poništavam)|vrati (nazad/natrag/unatrag/unazad)|vrati kako je bilo|vrati na (staro/prethodno)"
        "|ups|(predomislio/predomislila) sam se|idi (nazad/natrag)|korak (nazad/natrag/unatrag)|ctrl z"
    ),
    undo_fillers=(
        "to|ono|zadnje|zadnju|zadnji|poslednje|poslednju|poslednji|posljednje|posljednju|posljednji|promjenu"
        "|promenu|radnju|akciju|korak|nazad|natrag|unatrag|unazad|molim te|molim|kako je bilo|što si napravio"
        "|šta si uradio|sta si uradio|sto si napravio|ipak|ne|nemoj|čekaj|cekaj|stani|odmah|sve|mi|možeš|mozes|li"
        "|da|ups|opet|sad|sada|malo|što sam napravio|sta sam uradio|prethodno|prethodnu|staro|na"
        "|krivo sam kliknula|krivo sam kliknuo|krivo|pogriješila sam|pogriješio sam|pogrešila sam|pogrešio sam|greškom"
    ),
    helps=(
        "(pomoć/pomoc/help/?/upomoć/upomoc/pomozi/pomagaj/naredbe/komande/upute/uputstvo/uputstva/meni/izbornik/"
        "start/opcije/funkcije/info/mogućnosti/mogucnosti/primjeri/primeri)|(što/šta/sta/sto/kaj) (sve/ti/ti sve/"
        ") (znaš/znas/možeš/mozes/umiješ/umijes/umeš/umes/radiš/radis/razumiješ/razumijes/razumeš/razumes/nudiš/"
        "nudis) (sve/) (da/) (radiš/radis/raditi/učiniti/uciniti/uradiš/uradis/uraditi/napraviti/napraviš/"
        "napravis/pomoći/reći/činiti/)|pomozi mi|(možeš/mozes) li mi (pomoći/pomoci)|možeš mi pomoći|kako (ovo/"
        "to/ti/se ovo/se to/se/bot/) (radi/radiš/radis/funkcionira/funkcioniše/funkcionise/funkcioniraš/"
        "funkcionišeš/koristi/upotrebljava) (ovo/to/bot/)"
        "|kako (da/) (te/ovo/to) (koristim/koristiti/upotrebljavam)|(što/šta/sta/sto) (mogu/mogu da/smijem/"
        "da) (reći/reci/kažem/kazem/pitam/pitati/napisati/napišem/napisem/pišem/pisem)|treba mi (pomoć/pomoc)"
        "|trebam (pomoć/pomoc)|ne (razumijem/razumem/kužim/kuzim/kontam)|(tko/ko/što/šta/sta/sto) si (ti/)"
        "|(koje/kakve) (su/) (naredbe/komande/opcije) (imaš/imas/postoje/)"
        "|(pokaži/pokazi) (mi/) (naredbe/komande/pomoć/pomoc/što znaš/šta znaš)"
        "|(u čemu/u cemu/oko čega) (mi/) (možeš/mozes) (pomoći/pomoci)"
        "|kako (postaviti/napraviti/da postavim/da napravim/postavim) (podsjetnik/podsetnik)"
    ),
    help_fillers=(
        "sve|ti|ovdje|ovde|za mene|mi|molim te|uopće|uopste|uopšte|točno|tačno|još|jos|ovo|to|bot|malo|pls|sa|s"
        "|tobom|da|i|e|sad|li"
    ),
    verb_last=True,
    yes=(
        "da|d|jest|jeste|može|moze|naravno|tako je|točno|tačno|tocno|tacno|ok|okej|važi|vazi|u redu|da molim|aha"
        "|hajde|uradi"
    ),
    no=(
        "ne|n|nemoj|ipak ne|krivo|pogrešno|pogresno|ne hvala|odustani|odustajem|ništa|nista|nijedan|nijednu"
        "|zaboravi|pusti"
    ),
)
