"""How people ask in Croatian and Serbian, which are read with the same words in both alphabets."""

from __future__ import annotations

from duly.language.requests.form import RequestWords

WORDS = RequestWords(
    courtesies=(
        "molim te|molim|molim vas|hvala|hvala ti|ej|hej|bok|cao|ćao|zdravo|ok|okej|daj|ajde|hajde|de|duly|pls|plz|e"
        "|aj|hvala puno|fala|lp|zahvaljujem|ma|samo|ti|budi dobar|brate|bre|please|dobar dan|sad|sada"
    ),
    askings=(
        "možeš li|mozes li|možeš|mozes|može li|bi li|da li možeš|da li mozes|jel možeš|jel mozes|možete li|da li bi"
        "|hoćeš li|hoces li|hoćeš|želim da|hoću da|hocu da|zelim da|možeš li me molim te"
    ),
    leads=(
        "podsjeti me|podseti me|me podsjeti|me podseti|podsjetite me|podsetite me|me podsjetiti|me podsetiti"
        "|podsjetnik|podsetnik|da me podsjetiš|da me podsetiš|me podsjetis|me podsetis"
        "|da me podsetis|napravi podsjetnik|napravi podsetnik|dodaj podsjetnik|dodaj podsetnik|postavi podsjetnik"
        "|postavi podsetnik|novi podsjetnik|novi podsetnik|javi mi|javi mi se|opomeni me|stavi podsjetnik"
        "|stavi podsetnik|nemoj da zaboravim|upozori me|daj podsjetnik"
    ),
    joints="da|na to da|na|za|o|kako|što|sto|u vezi|vezano za|da moram|moram|da trebam|da treba da|treba da",
    befores="prije|pre|poslije|posle|nakon|ranije",
    danglers="za",
    asks_what=(
        "što imam|šta imam|sta imam|sto imam|što ima|šta ima|imam li što|imam li šta|imam li nešto|imam li nesto"
        "|što je|šta je|što slijedi|šta sledi|što me čeka|šta me čeka|sto me ceka|sta me ceka|što moram|šta moram"
        "|sta moram|sto moram|što je na redu|šta je na redu|jel imam što|jel imam šta|jel imam sta|jel imam nesto"
        "|koje podsjetnike imam|koje podsetnike imam|što imamo|šta imamo|što je planirano|šta je planirano|raspored"
        "|da li imam nešto|da li imam nesto|da li imam šta|kakav je raspored|što dolazi|šta dolazi|kaj imam|ca iman"
        "|šta treba|sta treba|što trebam|sto trebam|šta sve imam|što sve imam|kakav je plan|koji je plan"
    ),
    shows=(
        "pokaži|pokazi|prikaži|prikazi|pokaži mi|pokazi mi|prikaži mi|prikazi mi|izlistaj|daj|daj mi|popis|lista"
        "|vidi|navedi"
    ),
    list_fillers=(
        "za|u|na|moj|moje|moja|mi|me|sve|svi|od|podsjetnika|podsjetnike|podsjetnici|podsetnike|podsetnici"
        "|podsetnika|podsjetnik|podsetnik|raspored|plan|obaveze|obaveza|planirano|rasporedu|zakazano|imam|da uradim"
        "|uraditi|napraviti|radim|da radim|na redu|sve moje|li|to|kalendar|kalendaru|popis|listu|lista|planu"
        "|u planu|ovaj|koje|predstojeće"
    ),
    nouns=(
        "podsjetnike|podsetnike|podsjetnici|podsetnici|podsjetnika|podsetnika|podsjetnik|podsetnik|raspored|obaveze"
        "|plan|popis|kalendar"
    ),
    today="danas|danasnji dan|večeras|veceras",
    tomorrow="sutra|sjutra",
    week=(
        "ovaj tjedan|ove nedelje|ove sedmice|tjedan|sedmicu|sedmica|ovu nedelju|ovog tjedna|ove nedjelje"
        "|ovu sedmicu|nedelju dana|tjedan dana|sljedećih 7 dana|sledećih 7 dana|narednih 7 dana|ovaj tj"
    ),
    everything=(
        "sve|svi|sve podsjetnike|sve podsetnike|moje podsjetnike|moje podsetnike|sve moje podsjetnike"
        "|sve moje podsetnike|podsjetnike|podsetnike|svaki podsjetnik|svaki podsetnik|sve obavijesti|obavijesti"
        "|sva obaveštenja"
    ),
    moves=(
        "pomakni|pomeri|pomjeri|prebaci|premjesti|premesti|promijeni|promeni|odgodi|odloži|odlozi|pomakni mi"
        "|pomeri mi|prebaci mi|pomaknite|pomerite|prebacite|odgodi mi|stavi|prebukiraj|pomiči|promijeni vrijeme"
        "|promeni vreme"
    ),
    move_to="na|za|do|u|za u|na u|tek u|tek za",
    cancels=(
        "otkaži|otkazi|obriši|obrisi|izbriši|izbrisi|ukloni|makni|poništi podsjetnik|ponisti podsetnik|otkažite"
        "|obrišite|skini|nemoj me više podsjećati na|nemoj me više podsećati na|ne podsjećaj me više na"
        "|ne podsećaj me više na|nemoj me vise podsjecati na|nemoj me vise podsecati na|ne podsjecaj me vise na"
        "|ne podsecaj me vise na|otkazite"
    ),
    pauses=(
        "pauziraj|stavi na pauzu|stavi…na pauzu|zaustavi|utišaj|utisaj|obustavi|privremeno zaustavi|pauziraj mi"
        "|isključi|iskljuci|stopiraj|pauzirajte|zaustavite|ugasi"
    ),
    resumes=(
        "nastavi|nastavi sa|nastavi s|ponovo pokreni|ponovno pokreni|aktiviraj|ponovo aktiviraj|ponovno aktiviraj"
        "|uključi|ukljuci|ponovo uključi|ponovo ukljuci|vrati|pokreni|odpauziraj|reaktiviraj|nastavite|upali"
    ),
    until="do|sve do",
    for_length="na|za|sljedećih|sledećih|narednih|tokom",
    from_now="za",
    at_hour="u",
    articles=(
        "moj|moju|moje|mog|mojeg|taj|tu|to|onaj|onu|ono|ovaj|ovu|podsjetnik|podsetnik|podsjetnike|podsetnike|za|na"
        "|o|s|sa|termin|kod|da|mi|me|podsjetnik za|podsetnik za|podsjetnik na|podsetnik na"
    ),
    pronouns="to|ga|ih|ju|je|njega|taj|tu|ono|ovo|zadnji|poslednji",
    undos=(
        "poništi|ponisti|poništi to|ponisti to|vrati|vrati to|vrati nazad|undo|opozovi|vrati natrag|ups"
        "|poništi zadnje|ponisti zadnje|poništi poslednje|ponisti poslednje|vrati kako je bilo|poništi posljednje"
        "|predomislio sam se|predomislila sam se|ponisti posljednje|opozovi to"
    ),
    helps=(
        "pomoć|pomoc|help|?|upomoć|što znaš|šta znaš|sta znas|sto znas|što možeš|šta možeš|sta mozes|sto mozes"
        "|pomozi|pomozi mi|kako ovo radi|kako to radi|naredbe|komande|upute|uputstvo|što mogu reći"
        "|šta mogu da kažem|start|treba mi pomoć|treba mi pomoc|kako radi ovo|sta umes|šta umeš|meni|izbornik"
    ),
    yes=(
        "da|d|jest|jeste|može|moze|naravno|tako je|točno|tačno|tocno|tacno|ok|okej|važi|vazi|u redu|da molim|aha"
        "|hajde|uradi"
    ),
    no=(
        "ne|n|nemoj|ipak ne|krivo|pogrešno|pogresno|ne hvala|odustani|odustajem|ništa|nista|nijedan|nijednu"
        "|zaboravi|pusti"
    ),
)
