"""How people ask in German."""

from __future__ import annotations

from duly.language.requests.form import RequestWords

WORDS = RequestWords(
    courtesies=(
        "bitte|danke|hey|hi|hallo|mal|doch|ok|okay|also|so|duly|dankeschön|bittschön|vielen dank|jetzt|moin|servus"
        "|na|bitte mal|doch bitte|thx|lg|merci|eben|gerne|du"
    ),
    askings="kannst du|könntest du|würdest du|kannst du bitte|könntest du bitte|magst du|kannst|ich möchte dass du",
    leads=(
        "erinner mich|erinnere mich|erinnern mich|errinner mich|erinner mich mal|erinnere mich mal"
        "|erinner mich bitte|erinnere mich bitte|erinnerung|neue erinnerung|mach mir eine erinnerung"
        "|mach eine erinnerung|erstelle eine erinnerung|erstell eine erinnerung|stell eine erinnerung"
        "|setz eine erinnerung|eine erinnerung|sag mir bescheid|gib mir bescheid|mich erinnern|mich daran erinnern"
        "|erinner mi|leg eine erinnerung an|erinnert mich|erinner mich doch|erinnere mich doch|erinnern sie mich"
        "|errinnere mich|lass mich nicht vergessen"
    ),
    split_leads=(
        "mich…erinnern|mich bitte…erinnern|kannst du mich…erinnern|könntest du mich…erinnern"
        "|würdest du mich…erinnern|du mich…erinnern|ich möchte…erinnert werden|ich will…erinnert werden"
        "|mir…bescheid sagen|mir…bescheid geben|mich mal…erinnern|ich möchte…erinnert werden bitte"
    ),
    joints=(
        "an den|an die|an das|an der|an dem|ans|an|daran|daran dass ich|daran dass|dass ich|dass|dran|dran dass ich"
        "|für|zu|wegen|um|das ich|an meinen|an meine|an mein|ich muss|zum|zur"
    ),
    befores="vor|vorher|nach|davor|danach",
    danglers="für|auf",
    asks_what=(
        "hab ich|habe ich|was steht|was steht an|was habe ich|was hab ich|was hab i|was ist|was ist los|was gibt es"
        "|was gibts|was gibt's|was liegt an|was liegt|was kommt|was muss ich|was steht bei mir|was habe ich vor"
        "|habe ich was|hab ich was|habe ich etwas|welche erinnerungen habe ich|welche erinnerungen hab ich"
        "|was ist geplant|steht was an|was erwartet mich|was haben wir|hab ich termine|habe ich termine"
        "|welche termine hab ich|welche termine habe ich|was ist als nächstes|was kommt als nächstes"
        "|was steht auf dem plan"
    ),
    shows=(
        "zeig|zeige|zeig mir|zeige mir|liste|list|gib mir|nenn mir|sag mir|zeig mal|liste mir|lies mir|anzeigen"
        "|liste auf"
    ),
    list_fillers=(
        "noch was|was|etwas|an|am|für|meine|meinen|mein|mir|die|den|der|das|alle|alles|auf|auf dem plan"
        "|auf dem programm|los|vor|geplant|in|so|noch|denn|erinnerungen|erinnerung|termine|plan|liste|aufgaben"
        "|fällig|zu tun|tun|machen|bei mir|anstehend|anstehenden|an erinnerungen|an terminen|bis|ich|hab ich"
        "|habe ich|haben|steht|im|kalender"
    ),
    nouns="erinnerungen|erinnerung|termine|plan|liste|aufgaben|kalender",
    today="heute|heut|heute noch|heute abend",
    tomorrow="morgen|morgn",
    week="woche|diese woche|die woche|dieser woche|in dieser woche|die nächsten 7 tage|die nächsten sieben tage",
    everything=(
        "alles|alle|alle erinnerungen|meine erinnerungen|alle meine erinnerungen|die erinnerungen"
        "|sämtliche erinnerungen|erinnerungen|benachrichtigungen|alle benachrichtigungen"
    ),
    moves=(
        "verschieb|verschiebe|verschieb mal|verleg|verlege|schieb|schiebe|änder|ändere|leg|lege|setz|setze"
        "|verschieb mir|verschieb bitte|verschiebe bitte|ändere die zeit von|änder die zeit von"
    ),
    move_to="auf|auf den|auf die|nach|zu|bis|in|in die|um auf",
    cancels=(
        "lösch|lösche|lösch…bitte|storniere|stornier|streich|streiche|entfern|entferne|sag…ab|sage…ab|cancle"
        "|canceln|streich…raus|nimm…raus|vergiss|weg mit|lösch mir|erinner mich nicht mehr an"
        "|erinnere mich nicht mehr an|nicht mehr erinnern an|erinner mich nicht mehr ans"
        "|erinnere mich nicht mehr ans|keine erinnerung mehr an"
    ),
    pauses=(
        "pausiere|pausier|pause|stoppe|stopp|unterbrich|halte…an|halt…an|setze…aus|setz…aus|schalte…stumm"
        "|schalt…stumm|schalte…aus|schalt…aus|leg…auf eis"
    ),
    resumes=(
        "setze fort|setz fort|setze…fort|setz…fort|fahre fort mit|fahr fort mit|reaktiviere|reaktivier|aktiviere"
        "|aktivier|weiter mit|starte|mach weiter mit|mach…weiter|mach mit…weiter|nimm…wieder auf|entpausiere"
        "|starte wieder|aktiviere wieder|schalte…wieder ein|schalt…wieder ein|schalt…wieder an"
    ),
    until="bis|bis zum|bis zur|bis zu|bis am|bis um",
    for_length="für|für die nächsten|die nächsten|eine",
    from_now="in",
    at_hour="um",
    articles=(
        "den|die|das|der|dem|des|mein|meine|meinen|meiner|meinem|eine|einen|ein|erinnerung|erinnerungen|an|ans|für"
        "|zum|zur|von|vom|mit|termin|termine|erinnerung an|erinnerung für|wegen|diese|diesen|dieses"
    ),
    pronouns="es|das|sie|ihn|die|den|dies|diese|das da|das letzte",
    undos=(
        "rückgängig|rückgängig machen|mach das rückgängig|mach rückgängig|undo|zurück|nimm das zurück|nimm zurück"
        "|widerrufen|doch nicht|mach es rückgängig|ups|rückgängig bitte|letztes rückgängig|das rückgängig machen"
        "|zurücknehmen|letzte änderung rückgängig machen|mach das letzte rückgängig"
    ),
    helps=(
        "hilfe|help|?|was kannst du|was kann ich sagen|wie geht das|wie funktioniert das|hilf mir|befehle"
        "|was kannst du alles|wie benutze ich das|anleitung|wie funktionierst du|start|ich brauche hilfe|menü"
        "|was kann ich schreiben"
    ),
    yes="ja|j|jo|jep|jup|klar|genau|ok|okay|richtig|stimmt|passt|gerne|ja bitte|mach das|jawohl|korrekt|mach",
    no=(
        "nein|n|nö|nee|ne|doch nicht|falsch|nein danke|abbrechen|abbruch|lass|lass es|keine|keins|keinen|vergiss es"
        "|stopp|egal"
    ),
)
