"""How people ask in German."""

from __future__ import annotations

from duly.language.requests.form import RequestWords

WORDS = RequestWords(
    code="de",
    courtesies=(
        "bitte|danke|hey|hi|hallo|mal|doch|ok|okay|also|so|duly|dankeschön|bittschön|vielen dank|jetzt|moin"
        "|servus|na|bitte mal|doch bitte|thx|lg|merci|eben|gerne|du|pls|plz|please|bidde|biddeee|danke dir"
        "|danke schön|besten dank|tausend dank|grüß dich|guten morgen|guten tag|guten abend|guten tach|hallöchen"
        "|huhu|hey du|hey duly|hallo duly|ach|achja|ach ja|oh|achso|übrigens|btw|ma|einfach|schnell|kurz|ey|alter"
        "|digga|sorry|und|dann|nur|noch|bitte bitte|wenn möglich|sei so gut und|sei so lieb und|liebe grüße|vg"
        "|ok danke|auch|yo|jo"
    ),
    greetings=(
        "danke|dankeschön|danke schön|vielen dank|besten dank|tausend dank|danke dir|merci|thx|hi|hallo|hey|moin"
        "|servus|guten morgen|guten tag|guten abend|liebe grüße|sorry|grüß dich"
    ),
    sayings=(
        "sag|sage|schreib|schreibe|schick|schicke|wünsch|wünsche|ruf|rufe|antworte|texte|maile|simse|sende|whatsappe"
    ),
    tells_whom="sag|sage|wünsch|wünsche|ruf|rufe",
    said_before="sagen|wünschen|ausrichten|rufen|schreiben|schicken|senden|texten",
    unfinished=(
        "ein|eine|einen|einem|das|der|die|den|dem|mein|meine|dein|deine|ihr|ihre|sein|seine|unser|unsere|mit|von"
        "|für|zum|großes|kleines|herzliches|ein herzliches"
    ),
    askings=(
        "(kannst/könntest/würdest/kannste/könnteste/magst/willst/wirst/kanst/kanste/könntst) (du/) (mich/mir/"
        ") (bitte/mal/bitte mal/mal bitte/evtl/vielleicht/)|können (sie/wir) (mich/mir/) (bitte/)"
        "|könnten (sie/wir) (mich/mir/) (bitte/)|ich (möchte/will/hätte gern) dass du (mich/mir/)"
        "|ich (möchte/will/würde gern/würde gerne/möchte gern)|wäre es möglich|wärst du so lieb|ich brauch"
        "|ich bräuchte|du sollst (mich/mir/)|du kannst (mich/mir/)|du könntest (mich/mir/)|bitte (mich/mir)"
        "|lass uns"
    ),
    leads=(
        "(erinner/erinnere/errinner/errinnere/erinnern/erinnert/erinnre/erinerre/eriner/erinere/erinnerst/"
        "erinners) (mich/mi/mir/uns) (mal/bitte/doch/bitte mal/mal bitte/doch bitte/doch mal/nochmal/wieder/auch/"
        "noch/ma/)|erinnern sie mich (bitte/)|(erinnerst/erinnerste/errinnerst) (du/) mich (bitte/mal/)|(mach/"
        "mache/erstell/erstelle/stell/stelle/setz/setze/schreib/speicher/speichere/füg/füge/trag/trage/leg/lege/"
        "gib/richte/plane/plan) (mir/uns/) (bitte/mal/bitte mal/) (eine/ne/nen/einen/) (neue/kurze/tägliche/"
        "wöchentliche/) (erinnerung/reminder/remindr) (an/ein/hinzu/)|(neue/eine/ne/neuer/) (erinnerung/reminder)"
        "|ich (brauche/brauch/bräuchte/hätte gern/hätte gerne/möchte/will/will ne) (eine/ne/) erinnerung"
        "|mich (bitte/mal/) (dran/daran/) erinnern|(bitte/) (erinnern/erinnere/erinner)|lass mich nicht vergessen"
        "|(lass/lasse) mich (bitte/) nicht vergessen|(hilf mir/) dran (zu/) denken|ping mich (an/)"
        "|(stups/tipp) mich an|ich (darf/will/sollte/möchte) nicht vergessen|damit ich (es/) nicht vergesse"
        "|dass ich nicht vergesse|dass ich (ja/bloß/bloss) nicht vergesse|vergiss nicht mich zu erinnern"
        "|vergiss nicht mich|daran erinnern|dran erinnern|reminder"
    ),
    split_leads=(
        "(kannst du/könntest du/würdest du/du/) mich…(erinnern/dran erinnern/daran erinnern)"
        "|mich (bitte/mal)…erinnern"
        "|ich (möchte/will/würde gern/würde gerne)…(erinnert werden/daran erinnert werden/dran erinnert werden)"
        "|(sag/gib/sage/gebe) mir (bitte/mal/)…(bescheid/bescheid bitte)"
        "|(mir/) (bitte/)…(bescheid sagen/bescheid geben)|(ping/stups/tipp) mich (bitte/)…an"
        "|lass mich (bitte/)…nicht vergessen|(mach/stell/setz/leg/erstell/trag) mir (bitte/)…(eine erinnerung/"
        "ne erinnerung/einen reminder/eine erinnerung an/eine erinnerung ein)"
        "|ich (darf/will/sollte/möchte)…(nicht vergessen)|(dass/damit) ich…(nicht vergesse/nicht vergess)"
        "|(denk/denke) (bitte/)…(dran/daran)|vergiss nicht mich…zu erinnern"
        "|(mach/stell) (bitte/)…(eine erinnerung/ne erinnerung)"
    ),
    weak_leads=(
        "nicht vergessen|bitte nicht vergessen|nich vergessen|net vergessen|(denk/denke) (bitte/) (dran/daran/an)"
        "|(dran/daran) denken|(sag/gib) (mir/) (bitte/) bescheid|notiz|notiz an mich|merke|merk dir|merken|todo"
        "|to do|memo|sag mir dass (ich/)|vergiss nicht|vergiss bitte nicht|nicht vergessen dass|notier|notiere"
        "|schreib auf|ich soll"
    ),
    end_leads=(
        "(an/) (erinnern/erinnern bitte)|(bitte/) (dran/daran/mich dran/mich daran/mich) erinnern"
        "|(bitte/und/also/dann/also bitte/) (erinner/erinnere/errinner/errinnere) mich (bitte/mal/) (dran/daran/)"
        "|erinner mich dran bitte|erinnerst du mich (dran/daran/bitte/)"
        "|(kannst du/könntest du/würdest du) mich (bitte/) (dran/daran/) erinnern|(bitte/) nicht vergessen"
        "|nich vergessen|(lass es mich/lass mich das) nicht vergessen|lass mich (das/es/) nicht vergessen"
        "|(ich/) (darf/will) (ich/) (das/es/) nicht vergessen|erinnerung|erinnerung bitte|reminder bitte"
        "|(mach/stell/setz) mir (bitte/) (eine/ne) erinnerung|sag mir bescheid|gib mir bescheid"
        "|(sag/gib) bitte bescheid|bescheid sagen|bescheid geben|nicht dass ichs vergesse"
        "|nicht dass ich es vergesse|nicht dass ich das vergesse|wecker"
    ),
    musts=(
        "ich (muss/soll/sollte/will/möchte/habe/hab/darf/brauche/brauch/werde/hätte/musste/wollte/müsste)|muss"
        "|soll|wir (müssen/sollen/wollen/haben)|hab|habe|da (muss/hab/habe) ich|es ist|da ist|ich hab (ja/)"
        "|ich habe (ja/)|ich muss (ja/noch/)"
    ),
    wakes=(
        "(weck/wecke/wegg/weckst) (mich/mi/du mich) (bitte/mal/doch/auf/)|(stell/stelle/mach/setz/richte/"
        "schalt) (mir/) (bitte/mal/) (den/einen/ne/nen/mein/meinen/) (wecker/weckruf) (an/)|(den/einen/) wecker"
        "|ich (muss/will/möchte) (aufstehen/aufwachen)|aufwecken|weckruf|mich wecken|weckzeit"
    ),
    alarms=(
        "(stell/stelle/mach/setz/richte) (mir/) (bitte/mal/) (den/einen/ne/nen/mein/meinen/) (alarm/timer) (an/"
        "ein/)|(ein/einen/den/) alarm|(neuer/) timer"
    ),
    alarm_text="Wecker",
    statements=(
        "ich|du|er|sie|es|wir|ihr|man|uns|euch|dich|dir|mich|mir|ihn|ihm|ihnen|dein|deine|unser|unsere|wer|was"
        "|wann|wo|warum|wieso|wie|welche|welcher|welches|ob|ist|war|waren|sind|bin|bist|seid|wird|werden|werde"
        "|wurde|wurden|würde|hab|habe|hast|hat|haben|habt|hatte|hatten|kann|kannst|können|konnte|muss|musst"
        "|müssen|musste|soll|sollst|sollen|sollte|will|willst|wollen|wollte|darf|möchte|kommt|komme|kam|kamen"
        "|geht|gehe|ging|gibt|macht|mache|machte|fährt|fahre|fuhr|beginnt|endet|startet|schließt|öffnet|dauert"
        "|ging|sehen|sehe|sieht|liebe|hasse|finde|findet|fand|glaube|weiß|denke|hoffe|regnet|schneit|scheint"
        "|nicht|kein|keine|keinen|nie|schon|gestern|vorhin|letzte|letzten|letzter|ja|nein|nö|ok|okay|doch"
        "|vielleicht|wenn|weil|aber|dass|gut|schön|schöne|toll|super|schlecht|müde|lustig|wetter|danke|hallo|moin"
        "|tschüss|ciao|bis|seit|zwischen|gegen|circa|etwa|sehr|guten|gute|haha|lol|war|gewesen|gemacht|gegessen"
        "|gesehen|getroffen|genommen|verschoben|verschieben|absagen|löschen|lösch|pausieren|erinnerung"
        "|erinnerungen|erinner|erinnere|erinnern|alle|alles|jemand|niemand|steht|stehen|läuft|bleibt|bleibe"
        "|trifft|treffe|esse|isst|schlafe|arbeite|arbeitet|lande|landet|fliegt|fliege|kaputt|krank"
    ),
    lone_statements=(
        "da|dort|hier|zuhause|zu hause|daheim|fertig|frei|wach|spät|früh|zurück|weg|los|unterwegs|krank|müde"
        "|feierabend|später|zu spät|kaputt|im bett"
    ),
    statement_ends=r"^(?:ab|an|auf|aus|bei|ein|fest|her|hin|los|mit|nach|um|vor|weg|zu|zurück)?ge\w{3,}(?:t|en)$|\w{3,}te(?:n|st|t)?$(?<!karte)(?<!miete)(?<!leute)(?<!liste)(?<!torte)(?<!tablette)(?<!tabletten)(?<!karten)(?<!kiste)(?<!arbeiten)(?<!beten)(?<!warten)(?<!starten)(?<!bieten)(?<!mieten)(?<!werten)(?<!leiten)(?<!listen)(?<!garten)(?<!noten)(?<!daten)(?<!zeiten)(?<!testen)(?<!tests)(?<!kosten)(?<!posten)(?<!raten)(?<!braten)(?<!falten)(?<!halten)(?<!richten)(?<!dichten)(?<!lüften)(?<!luften)(?<!lueften)(?<!gäste)(?<!gaste)(?<!geräte)(?<!gerate)(?<!ernte)(?<!rente)(?<!ente)(?<!seite)(?<!watte)(?<!bitte)",
    others="erinnere|erinner|erinnert|erinnern sie|bitte erinnere",
    and_words="und|sowie|&|und auch",
    selves="mich|mich selbst",
    first_lead="erinnere mich",
    joints=(
        "an den|an die|an das|an der|an dem|ans|an|daran|daran dass ich|daran dass|dass ich|dass|dran"
        "|dran dass ich|für|zu|wegen|um|das ich|an meinen|an meine|an mein|ich muss|zum|zur|dran zu denken"
        "|daran zu denken|drauf|bitte an|bitte ans|ja an|an unser|an unsere|an unseren|an seinen|an seine|an mich"
        "|an einen|an eine|an ein|an ne|an nen|damit ich|weil ich|ich soll|ich will|mit|bezüglich|bzgl|betreffend"
        "|in sachen|dass wir|wir müssen|wir haben|text|titel|nochmal an|nochmal|wieder an|auch an"
        "|an alle|am|dass es|dass ich noch|dass ich ja|das|damit|ich hab|ich habe"
    ),
    befores="vor|vorher|nach|davor|danach",
    before_times="gestern|vorgestern|vor|letzten|letzte|letztes|letzter|vorigen|vorige|voriges",
    behind_times="gestern|zurück|bis",
    alternatives="oder",
    zone_nouns="zeit",
    titles="herr|herrn|hr",
    title_nouns="frau|dr|doktor|prof|professor",
    doses=(
        "mg|mcg|µg|g|ml|cl|l|ie|i.e|einheiten|einheit|tropfen|tropfn|tablette|tabletten|tabl|tbl|pille|pillen"
        "|kapsel|kapseln|hub|hübe|huebe|sprühstoß|sprühstöße|löffel|esslöffel|teelöffel|el|tl|dosis|dosen"
        "|dosierungen|beutel|pflaster|ampulle|ampullen|spritze|spritzen|stück|stk|globuli|dragees|zäpfchen"
        "|vitamine|glas|gläser|tasse|tassen|%|prozent|kg|milligramm|gramm|halbe|mal"
    ),
    thing_articles="die|das",
    plurals="en|er|e",
    parts_said=(
        "am morgen|am vormittag|am mittag|am nachmittag|am abend|in der nacht|in der früh|morgens|vormittags"
        "|mittags|nachmittags|abends|nachts|zu mittag|frühmorgens"
    ),
    part_nouns="vormittag|mittag|nachmittag|abend|nacht",
    part_things=(
        "creme|maske|kurs|schicht|dienst|schule|bus|messe|markt|gebet|serum|wache|zug|routine|salbe|hemd|licht|schiene"
    ),
    opens_end=(
        "bis die|bis der|bis das|bis ich|bis wir|bis es|bis er|bis sie|bis alle|bis alles|bis keine"
        "|bis nichts|bis man|bis mir|bis zum ende|bis zur|bis auf weiteres|solange|bis zum nächsten"
        "|bis zum letzten|bis ostern|bis pfingsten|bis weihnachten|bis silvester|bis neujahr|bis zu den ferien"
        "|bis einschließlich|bis inklusive"
    ),
    hangers="für",
    opens_start=(
        "bei schmerzen|wenn es weh tut|wenn es wehtut|wenn ich schmerzen habe|falls es weh tut|bei fieber|"
        "bei bedarf|nach bedarf|falls nötig|wenn nötig|falls es weh tut|wenn es weh tut|bei schmerzen"
        "|ab dem|ab der|beginnend|startend|sobald|ab wann|ab nächster|ab nächstem"
    ),
    opens_exception="aber nicht|außer|ausser|außer am|außer wenn|es sei denn|nur nicht|aber nur|ausgenommen",
    bounds=(
        "ohne|nicht|nie|kein|keine|keinen|bis auf|mit ausnahme|mit ausnahme von|abgesehen von|angefangen"
        "|angefangen am|mit beginn|mit beginn am|startend|startend am|endend|endend am|seit"
        "|bis einschließlich|ausschließlich|exklusive"
    ),
    occasions=(
        "ostern|pfingsten|weihnachten|silvester|neujahr|feiertag|feiertage|feiertagen|ferien|urlaub"
        "|schulferien|sommer|winter|frühling|herbst|sommerferien|brückentagen"
    ),
    danglers="für|auf|am|um|zum|ab|und zwar|zwar|und zwar am|und zwar um|gleich",
    asks_what=(
        "(hab/habe) ich (was/etwas/noch was/noch etwas/irgendwas/termine/erinnerungen/einen termin/nen termin/"
        "irgendwelche termine/irgendeinen termin/noch termine/noch/)|was steht (denn/so/noch/alles/bei mir/mir/"
        ") (an/auf dem plan/auf dem programm/auf der liste/auf meiner liste/im kalender/bevor/)|was (habe/"
        "hab) (ich/i/wir/ma) (denn/so/noch/alles/) (vor/geplant/zu tun/auf dem plan/auf dem zettel/an terminen/"
        "an erinnerungen/)|was (ist/war nochmal) (los/geplant/als nächstes/dran/angesagt/fällig/noch/denn/)"
        "|was (gibt es/gibts/gibt's) (denn/so/neues/noch/)|was liegt (denn/so/noch/) (an/)"
        "|was kommt (denn/als nächstes/auf mich zu/noch/so/)"
        "|was (muss/soll/sollte) ich (denn/noch/so/alles/) (machen/tun/erledigen/)"
        "|welche (erinnerungen/termine/aufgaben) (habe/hab) ich"
        "|welche (erinnerungen/termine/aufgaben) (gibt es/stehen an/sind offen)"
        "|steht (was/etwas/noch was/irgendwas) (an/)|steht…(was an/etwas an/noch was an/irgendwas an/an)"
        "|was (erwartet/wartet auf) mich|was haben wir|gibt es (was/etwas/irgendwas)|gibts (was/etwas/irgendwas)"
        "|ist (was/etwas/irgendwas) (los/geplant)|ist…(was/etwas/irgendwas) (los/geplant)|ist…was"
        "|was geht (denn/so/)|was läuft (denn/so/)|wie (sieht/siehts) (es/) (aus/)"
        "|wie (sieht/schaut) (mein/meine/der/die/)…aus"
        "|wie (sieht/schaut) (mein/meine/der/die/) (tag/woche/plan/kalender) aus|wie siehts…aus|wie schauts…aus"
        "|irgendwas (los/geplant/)|was geplant|noch was|noch etwas|(mein/der/) (tagesplan/terminplan/wochenplan)"
        "|was ist der plan|wie ist der plan|wie lautet der plan|agenda|plan für|was steht im kalender"
        "|was steht in meinem kalender|was mach ich|was mache ich|was hast du für mich|was fällt an"
    ),
    shows=(
        "zeig|zeige|zeig mir|zeige mir|liste|list|gib mir|nenn mir|sag mir|zeig mal|liste mir|lies mir|anzeigen"
        "|liste auf|zeig (mir/uns/) (bitte/mal/bitte mal/mal bitte/doch mal/)|zeige (mir/) (bitte/mal/)"
        "|(liste/list) (mir/) (bitte/mal/) (auf/)|ich (will/möchte) (sehen/)|lass (mal/mich/) sehen|übersicht"
        "|nenn mir (bitte/)|gib (mir/) (mal/)|lies (mir/) (vor/)|zeig her|zeigst du mir"
    ),
    list_fillers=(
        "noch was|was|etwas|an|am|für|meine|meinen|mein|mir|die|den|der|das|alle|alles|auf|auf dem plan"
        "|auf dem programm|los|vor|geplant|in|so|noch|denn|erinnerungen|erinnerung|termine|plan|liste|aufgaben"
        "|fällig|zu tun|tun|machen|bei mir|anstehend|anstehenden|an erinnerungen|an terminen|bis|ich|hab ich"
        "|habe ich|haben|steht|im|kalender|auch|eigentlich|alles so|irgendwas|eh|dran|drauf|aus|angesagt|gerade"
        "|aktuell|aktuellen|laufenden|gespeichert|gespeicherten|eingetragen|so an|so los|denn so|ein|mal|bitte"
        "|über|es|bevor|vorhaben|sind|ist|habe|ihr|zu erledigen|erledigen|offen|offene|offenen|von|tag|ganzen"
        "|ganze|übersicht|rest|bei|uns|nem|sehen"
    ),
    nouns="erinnerungen|erinnerung|termine|plan|liste|aufgaben|kalender|reminder|todos|todo liste",
    today=(
        "heute|heut|heute noch|heute abend|heute nachmittag|heute morgen|heute vormittag|heute mittag|den tag|tag"
        "|heute so|heut abend|heite"
    ),
    tomorrow="morgen|morgn|morgen früh|morgen abend|morgen nachmittag|morgen vormittag|moin früh|morgen mittag",
    week=(
        "woche|diese woche|die woche|dieser woche|in dieser woche|die nächsten 7 tage|die nächsten sieben tage"
        "|der woche|in der woche|die kommenden tage|die nächsten tage|den nächsten tagen|in den nächsten tagen"
        "|wochenplan|den rest der woche|rest der woche|unter der woche|diese wo|nächsten 7 tage|die wo"
    ),
    next_week="(in der/die/der/) (nächste/nächster/nächsten/kommende/kommenden/nächsde/folgende) woche|naechste wo",
    weekend="(am/dieses/das/fürs/übers/nächstes/kommendes/am kommenden/am nächsten/für das/) (wochenende/we/weekend)",
    everything=(
        "alles|alle|allem|allen|alle erinnerungen|meine erinnerungen|alle meine erinnerungen|die erinnerungen"
        "|sämtliche erinnerungen|erinnerungen|benachrichtigungen|alle benachrichtigungen|ganze|alle reminder"
        "|meine reminder|alle meine reminder|alle nachrichten|nachrichten|alle meldungen|alle termine|das ganze"
        "|komplett alles|alle zusammen|sämtliches|jede erinnerung|wirklich alles|alle alarme|die reminder"
    ),
    moves=(
        "(verschieb/verschiebe/verschib/verschiebs/verleg/verlege/schieb/schiebe/vertag/vertage/umbuch) (mir/"
        ") (mal/bitte/bitte mal/doch/)|…(verschieben/verlegen/schieben/umlegen/vertagen/verschiebn)"
        "|(änder/ändere) die (zeit/uhrzeit) (von/vom/für)|(zieh/ziehe)…vor|…vorziehen|(verschieb/schieb)…vor"
        "|(schieb/schiebe)…(nach hinten/auf später)|(leg/lege)…um|buch…um"
    ),
    weak_moves=(
        "(leg/lege/setz/setze/änder/ändere/mach/mache/pack/stell/stelle) (mir/) (mal/bitte/)"
        "|…(legen/setzen/ändern/umstellen)|(leg/lege/setz/setze)…an"
    ),
    earlier_moves="(zieh/ziehe)…vor|…vorziehen|(verschieb/schieb)…vor",
    move_to=(
        "auf|auf den|auf die|nach|zu|bis|in|in die|um auf|aufn|auf dem|auf das|zum|zur|um|für|am|lieber auf"
        "|doch auf|erst auf|auf um|gegen"
    ),
    weak_to="auf|auf den|auf die|aufn|lieber auf|doch auf|erst auf",
    move_by="um|um ca|um etwa|um noch|um weitere|nochmal um|für|bitte um|nochmal|noch|einfach um",
    later="(später/nach hinten/weiter/auf später/weiter nach hinten/hinaus/raus/länger/zurück)",
    earlier="(früher/vor/nach vorne/nach vorn/eher/vorher)",
    cancels=(
        "(lösch/lösche/löschst du/loesch/storniere/stornier/streich/streiche/entfern/entferne/cancle/cancel/"
        "canceln/cancell/kill/verwirf/vergiss/tilg/tilge) (mir/) (mal/bitte/bitte mal/)|…(löschen/loeschen/"
        "streichen/entfernen/stornieren/canceln/absagen/rausnehmen/rauswerfen/wegmachen/rausschmeißen)"
        "|(sag/sage/blas/blase) (bitte/mal/)…ab"
        "|(streich/nimm/wirf/schmeiß/schmeiss/hau) (bitte/mal/)…(raus/weg/von der liste/aus der liste)"
        "|(mach/tu) (bitte/mal/)…weg|weg mit|(erinner/erinnere) mich (bitte/) nicht (mehr/länger) (an/ans/daran/)"
        "|(erinner/erinnere) mich (bitte/) (nicht/nimmer)…mehr|(erinner/erinnere) mich…nicht mehr"
        "|nicht mehr (erinnern an/an)|keine (erinnerung/erinnerungen) mehr (an/für/wegen)"
        "|(ich/) (brauch/brauche) (ich/)…(nicht mehr/nimmer/net mehr)"
        "|(ich/) (brauch/brauche) keine (erinnerung/erinnerungen) mehr (an/für)"
        "|…(brauch/brauche/brauchts/braucht es/benötige) (ich/) (nicht/nich/net) mehr"
        "|…(brauch/brauche) ich nimmer"
        "|…(fällt aus/kann weg/kann raus/hat sich erledigt/ist abgesagt/wurde abgesagt/ist hinfällig)"
        "|hör auf mich an…zu erinnern|hör auf mich (an/wegen)|lass…(weg/bleiben/sein)|schmeiß…weg"
        "|vergiss (bitte/mal/einfach/)"
    ),
    cancel_it=(
        "(lösch/lösche/loesch/loesche/streich/streiche/entfern/entferne/cancel) (bitte/mal/) (es/das/ihn/sie/die/"
        "den/das da/das wieder/den letzten/die letzte/das letzte/diese erinnerung/die erinnerung/"
        "die letzte erinnerung) (bitte/wieder/mal/)|(sag/sage) (es/das/ihn/sie) (bitte/) ab"
        "|(es/das/ihn) (bitte/) (löschen/stornieren/streichen/entfernen)|storniere (es/ihn)"
    ),
    move_it=("(verschieb/verschiebe/verleg/verlege/schieb/schiebe) (bitte/mal/) (es/das/ihn/sie) (bitte/mal/)"),
    skip_it=("(überspring/überspringe) (es/das/ihn/sie)"),
    sure_cancels="lösch|lösche|loesch|storniere|stornier|streich|streiche|entfern|entferne|cancel|sag|sage",
    skips="lass…aus|lasse…aus|überspring|überspringe|überspringen",
    skip_ends="einmal|diesmal|nächstes mal|das nächste mal|dieses mal",
    pauses=(
        "(pausiere/pausier/pausieren/pausierst du/pausir/unterbrich/stoppe/stopp/stop/deaktiviere/deaktivier/"
        "halte/halt/friere/stell) (mir/) (mal/bitte/bitte mal/)|pause (mit/für/von/bei/)"
        "|(mach/mache) (bitte/mal/) (eine/ne/) pause (mit/bei/für/von/)|(mach/mache)…(pause/stumm/aus)"
        "|(halte/halt)…an|(setze/setz)…aus"
        "|(schalte/schalt/stell/stelle/dreh) (bitte/mal/)…(stumm/aus/ab/auf stumm/auf lautlos/leise)"
        "|(leg/lege)…auf eis|…(pausieren/aussetzen/stummschalten/stumm schalten/ausschalten/ausstellen/stoppen/"
        "deaktivieren/unterbrechen/anhalten/abschalten/stumm stellen)|(friere/frier)…ein|(mute/mut)|stumm"
    ),
    weak_pauses=(
        "(sei/bleib/gib/halt) (mal/bitte/) (still/ruhig/leise/ruhe/den mund/die klappe/die fresse/stumm)|ruhe"
        "|stille|pst|psst|ruhig|stumm|klappe halten"
        "|keine (erinnerungen/nachrichten/meldungen/benachrichtigungen/reminder) (mehr/)"
        "|(stör/störe/nerv/nerve/schreib) (mich/mir) (bitte/) nicht (mehr/)|nicht stören|bitte nicht stören"
        "|(lass/lasst) mich (bitte/) (in ruhe/in frieden)|(lass/lasst) mich…(in ruhe/in frieden)"
        "|(stör/störe/nerv/nerve) mich…nicht|schweig|funkstille|gib ruhe"
        "|(erinner/erinnere) mich…(nicht/an nichts)|(erinner/erinnere) mich (nicht/an nichts)"
        "|(schick/sende) mir nichts (mehr/)|pausier|sende nichts|(mach/mache) (bitte/) (alles/) (stumm/leise/aus)"
    ),
    resumes=(
        "(setze/setz)…fort|(setze/setz) fort|(fahre/fahr) fort mit|(fahre/fahr) mit…fort|(reaktiviere/reaktivier/"
        "aktiviere/aktivier/entpausiere/entpausier/starte/start) (mir/) (bitte/mal/wieder/bitte wieder/)"
        "|(aktiviere/aktivier/starte) (bitte/)…wieder|weiter mit|(mach/mache) (bitte/) weiter mit"
        "|(mach/mache)…(weiter/wieder an/wieder ein/wieder laut)|(mach/mache) mit…weiter|nimm…wieder auf"
        "|(schalte/schalt/stell/stelle/dreh) (bitte/mal/)…(wieder ein/wieder an/ein/an/wieder laut)|…(wieder an/"
        "wieder ein/fortsetzen/weiterführen/weiter/reaktivieren/wieder aktivieren/aktivieren/wieder starten/"
        "weitermachen/wieder einschalten/wieder anschalten/wieder aufnehmen)|hol…zurück"
        "|(erinner/erinnere) mich wieder (an/ans/an die/an den/an das)|weck…wieder auf"
        "|lass…(weiterlaufen/wieder laufen/weiter laufen)|(pause für/pause von)…(beenden/aufheben/aufhören)"
        "|(beende/heb) die pause (für/von)|entstumme"
    ),
    until=(
        "bis|bis zum|bis zur|bis zu|bis am|bis um|bis einschließlich|bis dann am|noch bis|erstmal bis"
        "|mindestens bis|bis wieder"
    ),
    for_length="für|für die nächsten|die nächsten|für eine|mal für|erstmal für|eine|ein|einen|für noch|noch",
    from_now="in",
    nows="jetzt|sofort",
    at_hour="um",
    articles=(
        "den|die|das|der|dem|des|mein|meine|meinen|meiner|meinem|eine|einen|ein|erinnerung|erinnerungen|an|ans"
        "|für|zum|zur|von|vom|mit|termin|termine|erinnerung an|erinnerung für|wegen|diese|diesen|dieses|unser"
        "|unsere|unseren|am|beim|bei|über|zu|reminder|den reminder|die reminder|sache mit|die sache mit|das mit"
        "|das mit dem|das mit der|die mit|aufs|auf|den mit|alles mit|alles zu|alle|wecker für|deine|deinen|ne|nen"
        "|jetzigen"
    ),
    determiners="der|die|das|den|dem|mein|meine|meinen|unser|unsere|sein|seine|ihr|ihre|dieser|diese|dieses|dein|deine",
    pronouns=(
        "es|das|sie|ihn|die|den|dies|diese|das da|das letzte|ihm|ihr|alle beide|beides|diesen|dieses|mich|dich"
        "|mir|uns|das hier|die letzte|den letzten|der letzte|it|that|this|that one|this one|mich nicht"
    ),
    undos=(
        "rückgängig (machen/)"
        "|(mach/mache) (das/es/dies/den/die/alles/) (letzte/letzten/letztes/) (wieder/bitte/) rückgängig|undo"
        "|zurück|(nimm/nehm) (das/es/) (wieder/) zurück|widerrufen|widerrufe|doch nicht|ups|hoppla|huch"
        "|letztes rückgängig|(das/letzte änderung/die letzte änderung/letzten schritt/den letzten schritt/"
        "letzte aktion) (wieder/bitte/) (rückgängig/rückgängig machen/zurücknehmen/zurück nehmen)|zurücknehmen"
        "|rueckgaengig|rückgängich|ruckgangig|stell (das/es/) wieder her|wiederherstellen"
        "|mach (das/es) wieder (wie vorher/wie es war/ungeschehen)"
        "|das war (falsch/ein fehler/ein versehen) (mach rückgängig/rückgängig/)"
        "|(annulliere/annullier/storniere) das|strg z|ctrl z|ich habs mir anders überlegt|versehentlich"
    ),
    undo_fillers=(
        "das|es|die|den|letzte|letzten|letztes|letzter|änderung|aktion|schritt|mal|bitte|doch|nein|ne|nee|wieder"
        "|bloß|gleich|sofort|sorry|halt|warte|stopp|oh|mach|machen|eben|schnell|was|du|gemacht|hast|ups|kannst du"
        "|könntest du|ok|oh nein|ist falsch|war falsch|rückgängig|hab mich verklickt|verklickt|falsch gedrückt"
    ),
    helps=(
        "hilfe|help|?|hilf mir|hilf|(was/wat) (kannst/kann) (du/ich) (so/alles/eigentlich/denn/für mich/noch/"
        ") (sagen/machen/tun/schreiben/fragen/)|was (kannst/machst) (du/)|was (kannste/kanste) (so/alles/)"
        "|wie (geht/funktioniert/benutzt man/läuft/bedient man) (das/dies/dieser bot/der bot/duly/man das/es/"
        ") (hier/)|wie (funktionierst/arbeitest) du"
        "|wie (benutze/bediene/verwende/nutze) ich (das/dich/den bot/es)|(befehle/kommandos/anleitung/"
        "bedienungsanleitung/menü/menu/start/optionen/funktionen/info/tutorial/beispiele)"
        "|ich (brauche/brauch) hilfe|ich versteh (das/es/) nicht|ich verstehe (das/es/) nicht"
        "|ich (check/checke/kapier/kapiere) (das/es) (nicht/net)|wer bist du|was bist du|was ist das hier"
        "|welche befehle (gibt es/gibts/kennst du/kann ich)|zeig (mir/) (die/) (befehle/hilfe/funktionen)"
        "|was verstehst du|wie kann ich (dich/das) (benutzen/nutzen)|wobei kannst du (mir/) helfen"
        "|womit kannst du mir helfen|kannst du mir helfen|wie erstelle ich (eine/) erinnerung"
        "|wie mache ich (eine/) erinnerung|was sind deine (funktionen/befehle)"
    ),
    help_fillers=(
        "so|alles|eigentlich|denn|hier|für mich|mal|bitte|überhaupt|genau|noch|mir|nochmal|dann|das|eine|ne|du"
        "|bot|und|damit|mit dem bot|ich|kannst|helfen|doch|alle"
    ),
    yes="ja|j|jo|jep|jup|klar|genau|ok|okay|richtig|stimmt|passt|gerne|ja bitte|mach das|jawohl|korrekt|mach",
    no=(
        "nein|n|nö|nee|ne|doch nicht|falsch|nein danke|abbrechen|abbruch|lass|lass es|keine|keins|keinen"
        "|vergiss es|stopp|egal"
    ),
)
