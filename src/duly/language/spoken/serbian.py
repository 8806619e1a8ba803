"""What duly says in Serbian, in the Latin alphabet."""

from __future__ import annotations

from duly.language.spoken.form import ChatTexts, DateTexts, MessageTexts, NoticeTexts, Spoken

MESSAGES = MessageTexts(
    done="Gotovo",
    snooze="Za {minutes} min",
    this_evening="Večeras",
    tomorrow_morning="Sutra ujutru",
    dismiss="Odbaci",
    answers="Odgovori",
    is_it_done="Da li je gotovo?",
    is_coming="{ahead}: {text}",
    was_done="✓ Gotovo: {text}",
    was_snoozed="⏰ Podsećam te {moment}: {text}",
    asks_again="⏰ Pitam opet {moment}: {text}",
    was_dismissed="✗ Odbačeno: {text}",
    was_done_by="✓ Gotovo, kaže {name}: {text}",
    was_dismissed_by="✗ Odbačeno, kaže {name}: {text}",
    is_over="Ovaj podsetnik je već završen: {text}",
    asks_until="Pitaću opet dok ne odgovoriš.",
    not_snoozed="Ovaj podsetnik ne može da se odloži i ostaje otvoren: {text}",
    in_quiet_hours="To je u tvojim tihim satima, pa stiže {moment}.",
    in_quiet_hours_of="To je u tihim satima osobe {name}, pa stiže {moment}.",
    digest="{count} stvari:",
    digest_today="Danas {count} stvari:",
    in_digest="Stiže sa tvojim pregledom {moment}.",
    in_digest_of="Stiže sa pregledom osobe {name} {moment}.",
    other_reading="Ako misliš {moment}, napiši tako.",
    paired="Zdravo, {name}! Tvoji podsetnici odsad stižu ovde.",
    undelivered="Podsetnik za {name} nije mogao da se dostavi: {text}",
    unanswered="{name} ne odgovara na podsetnik: {text}",
)

DATES = DateTexts(
    at="u {time}",
    today="danas {at}",
    tomorrow="sutra {at}",
    yesterday="juče {at}",
    on_weekday="u {weekday} {at}",
    on_date="u {weekday}, {day} {month} {at}",
    on_date_of_year="u {weekday}, {day} {month} {year}. {at}",
    minutes=("{n} minut", "{n} minuta", "{n} minuta"),
    hours=("{n} sat", "{n} sata", "{n} sati"),
    days=("{n} dan", "{n} dana", "{n} dana"),
    ahead="za {length}",
    late="Kasni {length}",
)

CHAT = ChatTexts(
    reminds="⏰ Podsećam te {moment} ({zone}): {text}",
    reminds_often="⏰ Podsećam te {rule}, sledeći put {moment} ({zone}): {text}",
    reminds_people="⏰ Podsetnik {moment} ({zone}) za {names}: {text}",
    reminds_people_often="⏰ Podsetnik {rule}, sledeći put {moment} ({zone}), za {names}: {text}",
    only_yourself=("Ovde mogu da podsetim samo tebe. Osoba koja vodi duly može da napravi podsetnike za druge."),
    unknown_person="Ne poznajem osobu „{name}“, pa nisam napravio podsetnik.",
    comes_before="I {lengths} pre toga.",
    comes_after="I opet {length} pošto bude gotovo.",
    asks_when="Kada da te podsetim na „{text}“? Napiši na primer: „sutra u 9“.",
    asks_what=(
        "Na šta da te podsetim {moment}? Napiši to u jednoj rečenici: „podseti me sutra u 10 da pozovem banku“."
    ),
    asks_which="Na koji misliš?",
    asks_reading="Na koje vreme misliš za „{text}“?",
    took_first="Ako misliš {moment}, napiši: „pomeri {text} na …“.",
    offers="Da te podsetim {moment} ({zone}): {text}?",
    answer_number="Odgovori brojem.",
    yes="Da",
    no="Ne",
    nothing_done="U redu, ništa nije promenjeno.",
    question_over="Ovo pitanje je zatvoreno. Samo pitaj ponovo.",
    today="Danas",
    tomorrow="Sutra",
    week="Sledećih 7 dana",
    next_week="Sledeća nedelja",
    weekend="Vikend",
    all="Tvoji podsetnici",
    list_none="{span}: ništa.",
    list_head="{span} ({zone}):",
    list_line="• {first}: {second}",
    more="… i još {count}",
    paused_word="pauzirano",
    paused_next="pauzirano, sledeći put {moment}",
    put_off="{moment}, odloženo",
    waits="čeka tvoj odgovor",
    moved="✓ Pomereno, sada stiže {moment} ({zone}): {text}",
    moved_often="✓ Pomereno, sada stiže {rule}, sledeći put {moment} ({zone}): {text}",
    moves_series=("„{text}“ se ponavlja ({rule}). Napiši novo pravilo, na primer: „pomeri {text} na svaki dan u 9“."),
    removed="✗ Obrisano: {text}",
    removes_one="Brišem samo jedan po jedan podsetnik: napiši koji. „pauziraj sve“ utišava sve.",
    skipped="⏭ Preskočeno {moment} ({zone}): {text}",
    skips_next="Mogu da preskočim samo sledeći put, {moment}: {text}",
    paused="⏸ Pauzirano: {text}",
    paused_all=("⏸ Pauziran je {n} podsetnik.", "⏸ Pauzirana su {n} podsetnika.", "⏸ Pauzirano je {n} podsetnika."),
    goes_on="Nastavlja se {moment} ({zone}).",
    resumed="▶ Opet radi, sledeći put {moment} ({zone}): {text}",
    resumed_all=("▶ Opet radi {n} podsetnik.", "▶ Opet rade {n} podsetnika.", "▶ Opet radi {n} podsetnika."),
    none_paused="Ništa nije pauzirano.",
    none_before="Do tada ništa ne stiže, pa ništa nije pauzirano.",
    say_undo="„poništi“ to vraća.",
    undone="↩ Poništeno: {text}",
    nothing_to_undo="Nema šta da se poništi: korake pamtim sat vremena.",
    not_undone="To više ne može da se poništi jer se u međuvremenu promenilo.",
    not_found="Ne nalazim podsetnik o „{target}“.",
    nearest="Najbliži je: {text}",
    none_yet="Još nemaš podsetnika.",
    not_understood="Nažalost, to nisam razumeo.",
    courtesy="🙂 „pomoć“ pokazuje šta razumem.",
    only_text="Umem da čitam samo tekst. Napiši mi, molim te, šta želiš da kažeš.",
    understood_time="Vreme razumem ({moment}), ali ne i šta tada treba da bude.",
    example="Napiši na primer: „podseti me sutra u 10 da pozovem banku“. „pomoć“ pokazuje šta još razumem.",
    help=(
        "Možeš da mi pišeš ovako:\n"
        "• „podseti me sutra u 10 da pozovem banku“\n"
        "• „podseti me svaki dan u 8 da popijem vitamine“\n"
        "• „šta imam danas?“, „šta imam ove nedelje?“\n"
        "• „pomeri zubara na petak u 9“\n"
        "• „obriši zubara“\n"
        "• „pauziraj sve do ponedeljka“, „nastavi sve“\n"
        "• „poništi“\n"
        "Na podsetnik možeš da odgovoriš „gotovo“, „za 10 minuta“ ili „preskoči“."
    ),
    no_button="Ovo dugme više ne pripada nijednom tvom podsetniku.",
    stranger=("Još ne poznajem ovaj razgovor. Zatraži kod od osobe koja vodi duly i pošalji mi ga ovde."),
    chat_taken="Ovaj razgovor već pripada drugoj osobi.",
    time_passed="To vreme je prošlo. Napiši neko kasnije.",
    snooze_too_far="Mogu da ga odložim najviše {days} dana. Napiši ranije vreme.",
    too_many="Imaš onoliko podsetnika koliko smeš da imaš. Prvo jedan obriši.",
    too_often="To je prečesto. Razmak mora da traje najmanje {length}.",
    too_long="To je predugačko za podsetnik. Napiši kraće.",
    went_wrong="To nije uspelo i ništa nije promenjeno. Pokušaj ponovo kasnije.",
)

NOTICES = NoticeTexts(
    failed="✗ {name} nije uspeo {moment}: {reason}",
    failed_often="✗ {name} nije uspeo {moment}, {count} puta zaredom: {reason}",
    failed_and_works="✗ {name} nije uspeo {moment}, a sada opet radi: {reason}",
    failed_many="✗ Nije uspelo {count} rasporeda: {reason}",
    works="✓ {name} opet radi.",
    works_many="✓ Opet radi {count} rasporeda: {names}",
    next_attempt="Sledeći pokušaj {moment}.",
    no_next_attempt="Nije predviđen dalji pokušaj.",
    no_reason="razlog nije poznat",
    no_answer="Završilo se bez odgovora.",
    and_more="i još {count}",
    shortened="… još {count} znakova",
    cost="Cena: {cost}",
    session="Sesija: {session}",
    agent_silent="agent nije odgovorio",
    limit_until="agent je dostigao ograničenje korišćenja, ponovo radi {moment}",
    limit_reached="agent je dostigao ograničenje korišćenja i ne kaže do kada",
    not_taken="{host} nije primio ovu poruku, zato je ovde.",
)

SPOKEN = Spoken(messages=MESSAGES, dates=DATES, chat=CHAT, notices=NOTICES)
