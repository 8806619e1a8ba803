"""How people answer a reminder in German."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.replies.form import ReplyRole, ReplyWords

_MACROS = {
    "done": (
        "erledigt|gemacht|genommen|eingenommen|getan|getrunken|gegessen|geschluckt|geschafft|abgeschlossen"
        "|beendet|bezahlt|angerufen|gekauft|geschickt|abgeschickt|gesendet|gegossen|gefüttert|geputzt|gewaschen"
        "|gebucht|geprüft|abgehakt|abgegeben|bestellt|aufgeräumt|ausgeschaltet|abgeschlossen|vollbracht"
        "|runtergeschluckt"
        "|runtergespült|ausgetrunken|eingeworfen|überwiesen|erreicht|eingekauft|besorgt|verschickt|losgeschickt"
        "|eingereicht|rausgebracht|abgeholt|reserviert|unterschrieben|ausgefüllt|verlängert|zugesperrt|abgesperrt"
        "|ausgemacht|gemessen|eingetragen|gespritzt|geimpft|hochgeladen|beantwortet|geantwortet|zurückgerufen"
        "|aufgehängt|weggebracht|zurückgebracht|gegeben|aufgetragen|eingecremt|angezogen|ausgedruckt|gesaugt"
        "|gebügelt|geleert"
        "|eingezahlt|gezahlt|geklärt|organisiert|repariert|telefoniert|geschrieben|gelesen|abgesendet|gelüftet"
        "|verabreicht|gmacht|gmocht|gnommen|gno|gschluckt|angrufen"
    ),
    "medicine": (
        "tablette|tabletten|pille|pillen|medizin|medikament|medikamente|vitamine|tropfen|dosis|mittel|medis|meds"
        "|medikamenten|spritze|kapsel|kapseln"
    ),
    "thing": (
        "es|sie|ihn|ihm|ihr|ihnen|das|alles|alle|beide|beides|die|[das] [ganze] zeug|(meine|die|meine ganzen|das"
        "|mein) {medicine}|s"
    ),
    "have": "hab|habe|haben|hab's|habe es|hab es|habs|habe das|hab das|hab die|hab sie|habe sie|hob|han|ha",
    "already": "schon|eh schon|schon lange|bereits|längst|schon längst|ja schon|doch schon",
    "just": (
        "gerade|grad|eben|soeben|grade|gerade eben|eben gerade|gerade schon|jetzt|nun|heute|{lately}|endlich|heut"
        "|grad eben|eben grad"
    ),
    "lately": ("(heute|heut) (morgen|früh|vormittag|mittag|nachmittag|abend|in der früh)|vorhin|in der früh"),
    "meal": (
        "gleich (in der früh|nach dem essen|nach dem aufstehen)|(vor|nach) dem (essen|frühstück|aufstehen"
        "|schlafengehen)|zum (frühstück|mittagessen|abendessen|kaffee)|beim (frühstück|essen|mittagessen|abendessen)"
        "|mit (wasser|kaffee|tee|saft)|nach dem (essen|frühstück)"
    ),
    "today": "heute|diesmal|ausnahmsweise|heut mal|dieses mal|für heute|mal|heut|heute mal",
    "place": (
        "unterwegs|am (essen|arbeiten|fahren|kochen|schlafen)|draußen|in der arbeit|auf arbeit|auf der arbeit|arbeiten"
        "|in der (schule|bahn|stadt|uni|dusche)|beim (sport|arzt|einkaufen|essen|kochen)"
        "|nicht (daheim|zuhause|zu hause)"
        "|unter der dusche|in (einer|der) (besprechung|sitzung|vorlesung)|am (weg|duschen|telefonieren|telefon|handy)"
        "|im (stress|kino|fitness|urlaub|büro|zug|bus|stau|bad|bett|laden|supermarkt|termin|meeting|auto|gym)"
        "|auf dem weg|in einem meeting"
    ),
    "sure": "[{already}] [{just}] [{already}]",
    "again": "nochmal|noch mal|noch einmal|wieder|erneut|bitte|einfach",
    "about": "circa|ca|circa|etwa|ungefähr|so|vielleicht|nochmal|noch|weitere|weiteren|rund|gut",
    "when": (
        "in [{about}] (<duration>|<number>)|nach [{about}] <duration>|für [{about}] <duration>|um <duration>|<time>"
    ),
    "soon": (
        "später|etwas später|(bissl|bissi|bisserl|a bissl|a bisserl|stückchen) später|glei|ein bisschen später"
        "|bisschen später|nachher|gleich|bald|demnächst|sofort|danach"
        "|ein andermal|ein anderes mal|in (einem moment|ein paar minuten|kürze|einer weile|paar minuten)"
    ),
    "reason": (
        "[ich] bin [heute|leider|noch] (krank|erkältet|verletzt|verreist)|krank|[ich] habe (fieber|grippe)"
        "|fällt [heute] aus"
        "|[es|er|sie|der kurs|der termin|das training|die stunde] (ist|wurde) [heute|leider] abgesagt"
        "|ist [heute] abgesagt"
        "|(es|er|sie|der kurs|der termin|das training|die stunde) fällt [heute] aus"
    ),
    "reminder": "es|das|sie|ihn|die erinnerung|erinnerung|diese erinnerung|den termin|mich",
    "act": "mache|mach|nehme|nehm|erledige|erledig|tue|tu|trinke",
    "drop": (
        "lösche|lösch|stoppe|stopp|beende|ignoriere|ignorier|überspringe|überspring|streiche|storniere|verwirf"
        "|vergiss|lass|lasse|streich|loss"
    ),
    "dropping": (
        "abbrechen|abbruch|stopp|stop|halt|aufhören|löschen|verwerfen|ignorieren|überspringen|auslassen|beenden"
        "|skippen|canceln|streichen|weglassen|absagen|stornieren|storno|stoppen|ausschalten|abschalten|abstellen"
    ),
}
_PHRASES = {
    ReplyRole.YES: """
ja|jop|jou|jaha|logo|freilich|eh klar|(ja|jo) eh [schon]|eh schon|ja schon|aber ja|sicha|yup|jap|jep|jup|jo|joa
jawohl|jawoll|klar|na klar|aber klar|klar doch|natürlich|selbstverständlich|sicher
gut|na gut|passt|passt so|in ordnung|geht in ordnung|geht klar|einverstanden|genau|stimmt
richtig|passt schon
alles gut|alles ok|alles okay|bestätigt|bestätige|jau|jepp|jupp
ja (hab ich|habe ich|klar|doch|natürlich|genau|sicher)|doch|yes|yep
jaja hab ich|jaja habe ich""",
    ReplyRole.HEARD: """
[hab|habe] [ich] verstanden|alles klar|zur kenntnis genommen|notiert|ist notiert|vermerkt
gern|gerne|sehr gut|prima|toll|klasse|perfekt|klingt (gut|super|toll)|hört sich gut an|wunderbar""",
    ReplyRole.DONE: """
[alles|ist|jetzt|wurde|sind|beides|beide|alle|fix] ({done}|fertig)|haken dran|[kannst] abhaken|gecheckt|feddich
(ist|sind|ist alles|alles|schon|{medicine} ist|{medicine} sind) (intus|drin)|bin durch [damit]|fertich
[ist|schon] (passiert|geschehen)
bin [jetzt|endlich|so weit] fertig|ich bin [jetzt|endlich] fertig
wir sind fertig|[bin] fertig damit|[bin] damit fertig
(die|meine) {medicine} (genommen|eingenommen|ist genommen|sind genommen|habe ich genommen|hab ich genommen)
{medicine} [ist|sind] (genommen|eingenommen)|done|finished
{have} ich alles|{have} {just} schon|ist alles {done}|{have} ich (heute|heut) schon
(sie|es|die|alle) (sind|ist) {done}
[ich] war [schon|gerade|eben] mit {thing} [schon|gerade|eben] (gassi|spazieren)
{thing} (ist|sind) [schon|jetzt] raus
{done} {have} (ich|wir) [sie|es|ihn|alles|das|beide] [schon|bereits|gerade|eben]""",
    ReplyRole.ALREADY: """
[ich|wir] {have} [{thing}] {sure} [{thing}] [{sure}] {done}|[das|die] {have} (ich|wir) {sure} {done}
(das|die {medicine}|alles|es) {have} (ich|wir) {sure} [{thing}] {sure} {done}
(schon|bereits|längst|schon längst|ja schon|gerade|grad|eben|soeben|gerade eben) [{thing}] [{just}] ({done}|fertig)
endlich [{thing}] [{just}] ({done}|fertig)|[schon] {lately} [schon] {done}
(ist|wurde|es ist|das ist|alles|sind) {sure} ({done}|fertig)|[ich] bin {sure} fertig
({done}|fertig) (ist es|bin ich) {sure}
[ich|das|die] [{have}] [ich|wir] [{thing}] [schon|bereits] vor [{about}] <duration> [schon|bereits] [{thing}] {done}
{done} vor [{about}] <duration>|vor [{about}] <duration> [{have} ich [{thing}]] {done}|fertig seit <duration>
seit <duration> fertig
[ich|die] {have} [ich] [{thing}] {sure} {meal} {done}
{have} ich {sure}|habs (schon|bereits)|{have} i {sure} [{done}]|haben wir {sure}|{have} wir {sure}|(habs|hab's)
{have} {already}|{have} i {already} {done}|[ich] {have} (sie|alles)
[ich] {have} [{thing}] um <clock> [uhr] {done}|[schon] um <clock> [uhr] {done}
{lately} [schon] {have} ich [{thing}] {done}|{meal} {done}
(gerade eben|grad eben|eben gerade|schon längst|längst|{lately} schon|schon {lately}|schon lange)
ist {already} {done}|ich {have} {already} [{done}]|[ist] {already} (passiert|geschehen|intus)""",
    ReplyRole.NO: "nein|nee|ne|nö|noe|nope|no|auf keinen fall|ach nein|naa|leider nein",
    ReplyRole.DENY: """
[das|ich] {have} [ich|i] [{thing}] nicht [{done}]|[ist|bin|sind|es ist] nicht ({done}|fertig)|leider nicht""",
    ReplyRole.DROP: """
[das|ich] (brauche|brauch) [ich] [das|es|sie] [heute] (nicht|nicht mehr|keine|keine mehr)
[kannst du] [bitte] [heute] [bitte] {dropping} [bitte|jetzt|heute] [bitte]
{reminder} (abbrechen|löschen|stoppen|beenden|ignorieren|überspringen|verwerfen|stornieren|absagen)
(brich|sag) [{reminder}] ab|hör [bitte] [damit] auf [damit]
{drop} [{reminder}] [bitte|sein|gut sein|bleiben|in ruhe|heute|diesmal]
lass (es|das|ihn|sie) [{today}] (ausfallen|ganz aus)
vergiss (es|das) [einfach]|vergessen wir es|lass (es|das|mal|gut sein|mich in ruhe|stecken|sein)
lass (es|das) (sein|bleiben|gut sein)|[ist|schon] egal
[das|es|heute] [ist|wäre] nicht (nötig|notwendig|erforderlich|mehr nötig|mehr notwendig|gebraucht)
nicht mehr (nötig|notwendig)|unnötig|überflüssig
(braucht es|brauchts) [heute] nicht|muss nicht sein|kein bedarf
nicht mehr [erinnern]|diesmal {dropping}|hör auf mich zu erinnern|keine erinnerung [mehr]|erinnere mich nicht [mehr]
reicht
es reicht|genug|schluss|cancel
hör auf mich zu (nerven|stressen)|schluss jetzt|[ist] [mir] (wurscht|egal|wurst)|weg damit|tu [es|das] weg
pausiere heute
[{today}] entfällt [es|das] [{today}]|nicht mehr (relevant|aktuell)|erinnere mich nicht [mehr] [daran|dran]
muss [{today}] nicht sein|(braucht's|brauchts|braucht es) [heute] (nicht [mehr]|nimmer)|loss guat sein|lass gut sein
hat sich erübrigt
[ich] (brauch|brauche) [i] [es|das|sie] [heute] nicht [mehr]|(brauch|brauche) (i|ich) [heute] nicht [mehr]
kannst [es|das] (löschen|vergessen|streichen|weglassen)|weg mit der erinnerung|lass ma|lass bleiben|vergiss es
kannst du (lassen|weglassen)|(das|es) kannst du (lassen|streichen|vergessen)
(nein|nee|nö) lass [es|gut sein|mal|sein|stecken]""",
    ReplyRole.REFUSE: """
[{today}] lass [ich] [es|sie|das|die|ihn|diese] [{today}] (aus|weg|ausfallen|ganz aus)
[{today}|ich] (überspringe|überspring|skippe|skip) [ich] [es|sie|das|die|ihn|diese|{thing}] [{today}]
[das|es|sie|{today}] fällt [es|sie|das] [{today}] (aus|flach|weg)|[{today}] (setz|setze) ich [{today}] aus
{today} (nehm|nehme|mach|mache) ich (sie|es|das|die|ihn) nicht
[ich] (nehm|nehme|mach|mache) (sie|es|das) {today} nicht
[ich] (nehm|nehme) {today} keine|{today} keine
nicht gewünscht|(heute|heut) nicht [mehr]|nicht heute|diesmal nicht
[das|ich] (will|möchte) [ich] [das|es|sie] (nicht|nicht mehr|keine|keine mehr)
(will|möchte) ich nicht [mehr]|kein interesse|keine lust
[{today}] lass (ichs|ich's|ma|i|ich es) [{today}] (aus|weg|ausfallen)|ich lass [es|sie|das|die] [{today}] (aus|weg)
(lass ma|lassen wir) [es|sie|das] {today} (aus|weg)
[ich|hab|habe|ich hab] [{today}] (kein bock|keinen bock|keine lust)|(kein bock|keine lust) {today}
[ich] mag [{today}] nicht|mach ich [{today}] nicht|[ich] mach (das|es) nicht|(nehm|nehme) ich nicht
{today} (nehm|nehme) ich keine|(setz|setze) {today} aus|{today} (mal nicht|ohne|mal ohne|nix|nichts)
ausnahmsweise nicht
(fällt's|fällts) [{today}] (aus|flach)|mach ich [{today}] nicht mehr|{today} lass (ichs|ich's|i|ich)
[ich] (setz|setze) [{today}] aus
(will|mag|möchte) [ich] {today} nicht""",
    ReplyRole.NOT_YET: """
noch nicht|nein noch nicht|immer noch nicht|noch immer nicht|leider noch nicht|nicht jetzt|jetzt nicht|jetzt noch nicht
(grad|grade|gerade|momentan|im moment) nicht|[ich] kann (grad|grade|gerade|jetzt|momentan) nicht|später|bissl später
geht (grad|grade|gerade|jetzt) nicht|(grad|grade|gerade|jetzt|noch) keine zeit|[ich] {have} ich noch nicht
passt (grad|grade|gerade) (nicht|schlecht)|[ich] {have} (grad|grade|gerade|noch) keine zeit|no nicht|nachher
[ich] bin (grad|grade|gerade|noch|jetzt|erst|noch nicht)|[ich] muss [ich] (noch|erst|vorher|zuerst|vorher noch)
fahr (grad|gerade)
[ich] {have} (grad|grade|gerade|jetzt|noch) (keine|keinen|kein)|(grad|grade|gerade|jetzt) (ungünstig|schlecht|unpassend)
[ich] (sitz|sitze|steh|stehe|lieg|liege|steck|stecke) (grad|grade|gerade|noch)|warte (bis|noch bis)
lass mich (erst|noch|kurz)
[ich] bin (beim|im|am|in|auf|bei|mit)|[ich] {have} (grad|grade|gerade) (besuch|einen|ein|eine|viel)
jetzt (gehts|geht's|geht) nicht
(schaff|schaffe) (ich|es|ichs|ich's) (grad|grade|gerade|jetzt) nicht|sobald ich (daheim|zuhause|heim|zurück|zeit)
[ist] [noch] zu früh""",
    ReplyRole.LATER: """
{soon} [vielleicht]|vielleicht {soon}|[bitte] {soon} [bitte]|nicht jetzt|jetzt nicht|[jetzt] gerade nicht
jetzt gerade nicht
[jetzt] (grad|grade) nicht|im moment nicht|momentan nicht|nicht sofort|nicht gleich|jetzt noch nicht|noch nicht
nein noch nicht|noch nicht ganz|nicht ganz|noch immer nicht|immer noch nicht
[ich] [bin] [gerade|grad|noch|zu|sehr|leider|im moment|jetzt] beschäftigt
[ich habe|hab|habe] [noch|gerade|jetzt|grad|leider|im moment] keine zeit [gerade|jetzt|gehabt]
[ich] hatte [bisher|noch|bis jetzt|heute|leider] keine zeit|[ich] [bin] [noch] nicht dazu gekommen
[ich] (komm|komme) [gerade|jetzt|grad|noch] nicht dazu|hab [gerade|grad] zu tun
[ich] kann [gerade|jetzt|grad] nicht [jetzt|gerade]|[ich] [bin] [gerade|grad|grade|noch|jetzt] {place}
(wenn|sobald) ich (zuhause|daheim|zu hause|zurück) bin|nach (der arbeit|dem sport|feierabend)
geht gerade nicht|geht jetzt nicht
warte [mal|kurz|bitte|noch|{when}|noch <duration>]|moment [mal|bitte|noch]|einen moment [bitte|noch]
[einen] augenblick [bitte]|sekunde|eine sekunde|kurz warten|ein bisschen noch|noch ein bisschen|bitte warten
wart [mal]
(gib|gebt) mir [bitte] [noch|{about}] (<duration>|etwas zeit|einen moment|ein paar minuten|ein bisschen|mehr zeit)
[ich] (brauche|brauch) [noch|{about}] (<duration>|etwas zeit|mehr zeit|ein bisschen|einen moment) [mehr|noch]
[ich] (brauche|brauch) [noch|{about}] (ein paar minuten|länger) [mehr|noch]|mehr zeit
[noch|in|erst|erst in|nur|nur noch|so] [{about}] [ein] paar minuten|[noch] [ein] paar minuten [noch]
[erst|dann|lieber|besser|nur|nur noch|einfach|vielleicht] {when} [bitte|nochmal|wieder|noch]
[noch|nochmal|weitere|nur|nur noch|bitte|bitte noch|erst] [{about}] <duration> [noch|mehr|später|länger|bitte]
[{have} [ich]|ich {have}|bin|ist] [{thing}] (noch nicht|immer noch nicht) [ganz|alles|{thing}] ({done}|fertig)
[ich bin|es ist] [{thing}] (noch nicht|immer noch nicht) [ganz|alles|{thing}] ({done}|fertig)
(noch nicht|immer noch nicht) {have}
[bin|ich bin|ist] (fast|beinahe|bald|gleich|so gut wie|halb) (fertig|{done}|so weit)|fast
[bin|ich bin] ({soon}|{when}) fertig|fertig {soon}|fertig in [{about}] <duration>|{done} in [{about}] <duration>
in [{about}] <duration> (fertig|{done}|bin ich fertig)|(bin|ich bin) in [{about}] <duration> fertig
[ich|das] {act} (ich|es|das|sie|die {medicine}) [dann|gleich|später|nachher|jetzt|bald|sofort|{soon}|{when}]
(ich|das) {act} [ich] [es|das|sie] [dann|gleich|später|nachher|jetzt|{soon}|{when}]
wird [{soon}|{when}] ({done}|fertig)|bin dabei|ich bin dabei|bin dran|mach ich|mache ich
werde ich [{soon}] (machen|tun|nehmen)|ich werde es [{soon}] (machen|tun|nehmen)
(verschieb|verschiebe|verschieben|schieb|schiebe) [{reminder}] [um|auf|für] [{when}|{soon}|<number>|<duration>]
(aufschieben|snooze|schlummern|vertagen|pausieren) [{reminder}] [um|auf|für] [{when}|{soon}|<number>|<duration>]
(pause|später erinnern) [{reminder}] [um|auf|für] [{when}|{soon}|<number>|<duration>]|{soon} {act} ich [{thing}]
schieb auf|auf später|auf (<time>|später) (verschieben|schieben)
<duration> (verschieben|schlummern|später|warten|pause)
[das|ich] {have} [ich|i] [{thing}] noch nicht [{done}]
[ich] bin noch (dran|dabei)|noch (dran|dabei)|(grad|grade|gerade|jetzt|passt grad|passt gerade) schlecht|wieder nicht
(geht|passt) (grad|grade|gerade|jetzt) nicht|[ich] {have} [grad|grade|gerade|so|noch] (viel zu tun|zu tun|stress)
[grad|gerade|voll] [im] stress
[ich] (fahre|esse|koche|dusche|schlafe|schlaf|arbeite|telefoniere|fahr|ess|koch) [grad|gerade|noch|jetzt]
[ich] (lieg|liege|sitz|sitze|steh|stehe) [grad|gerade|noch] {place}|wart (kurz|mal|noch)|momenterl
(an|kleinen|kurzen|nen) moment
[einen|nen] (sek|min|augenblick)|kurz noch|noch kurz|gib mir [noch] (kurz|zeit|nen moment|ne sekunde|ne minute|a bissl)
[ich] (brauch|brauche) [noch] (zeit|etwas|bissl|a bissl|ein bissl|kurz)
noch [ein|a] (bissl|bisserl|bisschen|bissi)|a bisserl no
halb (fertig|{done})|[erst|nur] (zur hälfte|halb|die hälfte)|beinahe
[hab ich|hab|habe ich|hab's|habs|habe es|ich habe es|ich hab's] [total|voll|leider|ganz] vergessen
(gib|gebt) mir [noch|{about}] <number>|noch <number>|<number> noch
auf <duration> (verschieben|schieben)|[ich] (mach|mache) (es|das|ich|ich's|ichs) [erst] {when}
(das|es) dauert noch [etwa] <duration>|dauert noch [etwa] <duration>|ich (mach's|machs|mach es) [erst] {when}
(verschieb|verschiebe|schieb|schiebe) [{reminder}] (auf|bis) <time>
muss [ich] (erst|vorher|noch) [was] (essen|einkaufen|duschen|arbeiten|aufstehen|heim)|bin gleich so weit
bin gleich soweit|[ich] bin [grad|grade|gerade|noch] (einkaufen|essen|duschen|spazieren|laufen|joggen)
erst nach (der arbeit|dem essen|feierabend)|jetzt (grad|grade|gerade) schlecht|noch nicht geschafft|mach später
mach ich später|{have} noch nicht dran gedacht|noch nicht dran gedacht
sekunde noch|(eine|ne) sekunde noch
bissl noch|moment bitte [noch]|gleich nach dem (essen|frühstück|kochen|duschen)
(mach|mache|nehm|nehme) ich gleich nach dem essen""",
    ReplyRole.REMIND: """
(erinnere|erinner|erinnern|frag|frage) [mich|dich|mir] [{again}] [dran|daran] [{when}|{soon}] [{again}] [dran|daran]
(melde|meld|weck|benachrichtige) [mich|dich|mir] [{again}] [dran|daran] [{when}|{soon}] [{again}] [dran|daran]
sag [mir] [{again}] ({when}|{soon}) [{again}] bescheid|sag [mir] [{again}] bescheid [{when}|{soon}]
ping [mich|dich|mir] [{again}] [dran|daran] [{when}|{soon}] [{again}] [dran|daran]
[bitte] [mich] [{when}|{soon}] [{again}] [mich] (erinnern|fragen)
(nochmal|noch mal|wieder|noch einmal) [{when}|{soon}]
{when} (nochmal|noch mal|wieder|noch einmal|erneut) [erinnern|fragen|bitte]
{soon} (nochmal|noch mal|wieder|noch einmal) [erinnern|fragen|bitte]""",
    ReplyRole.ASK: """
(kannst|könntest|würdest) du [bitte] mich [bitte] [{again}] [{when}|{soon}] [{again}] [dran|daran] erinnern
(kannst|könntest|würdest) du [bitte] (mich|mir) [bitte] [{again}] [{when}|{soon}] [{again}] (fragen|bescheid sagen)
(erinnerst|fragst) du mich [bitte] [{again}] [dran|daran] [{when}|{soon}] [{again}] [dran|daran]
(kann|könnte|darf) ich [bitte] [noch] [{about}] <duration> [mehr|noch] haben
(gibst du|kannst du) mir [bitte] [noch] [{about}] <duration> [mehr|noch] [geben]""",
    ReplyRole.AGO: "[schon|bereits] vor [{about}] <duration>|vorhin",
    ReplyRole.JOIN: "aber|und|doch erst|jedoch",
    ReplyRole.OTHER: """
[sehr|ganz] (gut|schön|toll|prima|super|klasse|schlecht|halb|alles gut|alles ok) ({done}|fertig)|gut so
sag [mal|es|bloß|ja|nein]|dass
[noch] nicht sicher""",
    ReplyRole.MOCK: """
na ja|naja|ja [,] ja|(na|oh|ach|wow|haha|lol) [,] (toll|super|prima|klasse|perfekt|perfect|schön)
(oh|ach|haha|lol) [,] [ja] [,] (klar|sicher|genau|natürlich)
(haha|lol) [,] [na] (gut|passt)
ja klar [,] (haha|lol|hahaha|sicher)|ja [,] sicher [,] (haha|lol)""",
    ReplyRole.PARTING: "bis (später|dann|bald|nachher|gleich)",
    ReplyRole.THANKS: "danke|danke schön|dankeschön|vielen dank|danke dir|danke sehr|besten dank|merci",
    ReplyRole.POLITE: """
danke (für die erinnerung|fürs erinnern)|bitte|sorry|entschuldigung|tut mir leid|lieb von dir
guten (morgen|tag|abend)|gute nacht|servus|moin|grüß dich|grüezi|tschüss|ciao|na
also|mal|halt mal|ach|ach so|achso|äh|ähm|puh|eigentlich|dann|lieber|schatz|chef|schön|ach ja
mama|mami|papa|ja mei|mei|oida|oide|alter|digga|bro|lg|gell|gelt|ups|ui|mist|schatzi|liebes|hase|hasi|süße|süßer
leider|keine sorge|keine angst|liebe grüße|bussi|haha|hihi|oh mann
danke der nachfrage|danke für die nachfrage""",
}

REPLIES = ReplyWords(
    phrases=_PHRASES,
    macros=_MACROS,
    negations="nicht|nein|no|noch|kein|keine|heute|jetzt|das|brauche|brauch",
    future="in",
    at="um",
    until="nach|bis zum|bis zu|bis|erst|nicht vor",
    openers="um|am|gegen|ab|heute|heut|zu",
    days="morgen|übermorgen|abend|mittag|nachmittag|mitternacht|abends|mittags|nachmittags",
    inner=(
        "uhr|früh|morgen|vormittag|nachmittag|nacht|um|am|gegen|halb|viertel|dreiviertel|vor|nach|nächste"
        "|nächsten|woche|h|in|der"
    ),
    plus="und",
    half="halb|halbe",
    more="weitere|weiteren|weiterer|mehr|extra",
    lengths={
        15: (
            "viertelstündchen|viertel stunde|viertelstunde|eine viertelstunde|einer viertelstunde|ne viertelstunde"
            "|ner viertelstunde"
        ),
        30: (
            "½ stunde|½ std|½h"
            "|halbes stündchen|halbe std|halben std|einer halben std|ner halben std|ne halbe std|ner halben"
            "|einer halben"
            "|a halbe stund|halbe stund|halbe stunde|halben stunde|halber stunde|ne halbe stunde|eine halbe stunde"
            "|einer halben stunde"
            "|ner halben stunde|ner halbe stunde|der halben stunde|der halbe stunde|weitere halben stunde"
            "|weitere halbe stunde|halbstunde"
        ),
        60: "stündchen|a stund|a stunde",
        45: "dreiviertelstunde|eine dreiviertelstunde|einer dreiviertelstunde",
    },
    numbers={1: "nen"},
    typed={
        "is": "ist",
        "isch": "ist",
        "scho": "schon",
        "erledig": "erledigt",
        "nich": "nicht",
        "net": "nicht",
        "ned": "nicht",
        "nit": "nicht",
        "nixmehr": "nicht",
    },
    units={Unit.MINUTE: "minütchen", Unit.HOUR: "stündchen"},
)
