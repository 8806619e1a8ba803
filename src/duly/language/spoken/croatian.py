"""What duly says in Croatian."""

from __future__ import annotations

from duly.language.spoken.form import ChatTexts, DateTexts, MessageTexts, NoticeTexts, Spoken

MESSAGES = MessageTexts(
    done="Gotovo",
    snooze="Za {minutes} min",
    this_evening="Večeras",
    tomorrow_morning="Sutra ujutro",
    dismiss="Odbaci",
    answers="Odgovori",
    is_it_done="Je li gotovo?",
    is_coming="{ahead}: {text}",
    was_done="✓ Gotovo: {text}",
    was_snoozed="⏰ Podsjećam te {moment}: {text}",
    asks_again="⏰ Pitam opet {moment}: {text}",
    was_dismissed="✗ Odbačeno: {text}",
    was_done_by="✓ Gotovo, kaže {name}: {text}",
    was_dismissed_by="✗ Odbačeno, kaže {name}: {text}",
    is_over="Ovaj podsjetnik je već završen: {text}",
    asks_until="Pitat ću opet dok ne odgovoriš.",
    not_snoozed="Ovaj se podsjetnik ne može odgoditi i ostaje otvoren: {text}",
    in_quiet_hours="To je u tvojim tihim satima, pa stiže {moment}.",
    in_quiet_hours_of="To je u tihim satima osobe {name}, pa stiže {moment}.",
    digest="{count} stvari:",
    digest_today="Danas {count} stvari:",
    in_digest="Stiže s tvojim pregledom {moment}.",
    in_digest_of="Stiže s pregledom osobe {name} {moment}.",
    other_reading="Ako misliš {moment}, napiši tako.",
    paired="Bok, {name}! Tvoji podsjetnici odsad stižu ovamo.",
    undelivered="Podsjetnik za {name} nije se mogao dostaviti: {text}",
    unanswered="{name} ne odgovara na podsjetnik: {text}",
)

DATES = DateTexts(
    at="u {time}",
    today="danas {at}",
    tomorrow="sutra {at}",
    yesterday="jučer {at}",
    on_weekday="u {weekday} {at}",
    on_date="u {weekday}, {day} {month} {at}",
    on_date_of_year="u {weekday}, {day} {month} {year}. {at}",
    minutes=("{n} minutu", "{n} minute", "{n} minuta"),
    hours=("{n} sat", "{n} sata", "{n} sati"),
    days=("{n} dan", "{n} dana", "{n} dana"),
    ahead="za {length}",
    late="Kasni {length}",
)

CHAT = ChatTexts(
    reminds="⏰ Podsjećam te {moment} ({zone}): {text}",
    reminds_often="⏰ Podsjećam te {rule}, sljedeći put {moment} ({zone}): {text}",
    reminds_people="⏰ Podsjetnik {moment} ({zone}) za {names}: {text}",
    reminds_people_often="⏰ Podsjetnik {rule}, sljedeći put {moment} ({zone}), za {names}: {text}",
    only_yourself=("Ovdje mogu podsjetiti samo tebe. Osoba koja vodi duly može napraviti podsjetnike za druge."),
    unknown_person="Ne poznajem osobu „{name}“, pa nisam napravio podsjetnik.",
    comes_before="I {lengths} prije toga.",
    comes_after="I opet {length} nakon što bude gotovo.",
    asks_when="Kada da te podsjetim na „{text}“? Napiši na primjer: „sutra u 9“.",
    asks_what=(
        "Na što da te podsjetim {moment}? Napiši to u jednoj rečenici: „podsjeti me sutra u 10 da nazovem banku“."
    ),
    asks_which="Na koji misliš?",
    asks_reading="Na koje vrijeme misliš za „{text}“?",
    took_first="Ako misliš {moment}, napiši: „pomakni {text} na …“.",
    offers="Da te podsjetim {moment} ({zone}): {text}?",
    answer_number="Odgovori brojem.",
    yes="Da",
    no="Ne",
    nothing_done="U redu, ništa nije promijenjeno.",
    question_over="Ovo pitanje je zatvoreno. Samo pitaj ponovno.",
    today="Danas",
    tomorrow="Sutra",
    week="Sljedećih 7 dana",
    next_week="Sljedeći tjedan",
    weekend="Vikend",
    all="Tvoji podsjetnici",
    list_none="{span}: ništa.",
    list_head="{span} ({zone}):",
    list_line="• {first}: {second}",
    more="… i još {count}",
    paused_word="pauzirano",
    paused_next="pauzirano, sljedeći put {moment}",
    put_off="{moment}, odgođeno",
    waits="čeka tvoj odgovor",
    moved="✓ Pomaknuto, sada stiže {moment} ({zone}): {text}",
    moved_often="✓ Pomaknuto, sada stiže {rule}, sljedeći put {moment} ({zone}): {text}",
    moves_series=("„{text}“ se ponavlja ({rule}). Napiši novo pravilo, na primjer: „pomakni {text} na svaki dan u 9“."),
    removed="✗ Obrisano: {text}",
    removes_one="Brišem samo jedan po jedan podsjetnik: napiši koji. „pauziraj sve“ utišava sve.",
    skipped="⏭ Preskočeno {moment} ({zone}): {text}",
    skips_next="Mogu preskočiti samo sljedeći put, {moment}: {text}",
    paused="⏸ Pauzirano: {text}",
    paused_all=("⏸ Pauziran je {n} podsjetnik.", "⏸ Pauzirana su {n} podsjetnika.", "⏸ Pauzirano je {n} podsjetnika."),
    goes_on="Nastavlja se {moment} ({zone}).",
    resumed="▶ Opet radi, sljedeći put {moment} ({zone}): {text}",
    resumed_all=("▶ Opet radi {n} podsjetnik.", "▶ Opet rade {n} podsjetnika.", "▶ Opet radi {n} podsjetnika."),
    none_paused="Ništa nije pauzirano.",
    none_before="Do tada ništa ne stiže, pa ništa nije pauzirano.",
    say_undo="„poništi“ to vraća.",
    undone="↩ Poništeno: {text}",
    nothing_to_undo="Nema se što poništiti: korake pamtim sat vremena.",
    not_undone="To se više ne može poništiti jer se u međuvremenu promijenilo.",
    not_found="Ne nalazim podsjetnik o „{target}“.",
    nearest="Najbliži je: {text}",
    none_yet="Još nemaš podsjetnika.",
    not_understood="Nažalost, to nisam razumio.",
    courtesy="🙂 „pomoć“ pokazuje što razumijem.",
    only_text="Znam čitati samo tekst. Napiši mi, molim te, što želiš reći.",
    understood_time="Vrijeme razumijem ({moment}), ali ne i što tada treba biti.",
    example=("Napiši na primjer: „podsjeti me sutra u 10 da nazovem banku“. „pomoć“ pokazuje što još razumijem."),
    help=(
        "Možeš mi pisati ovako:\n"
        "• „podsjeti me sutra u 10 da nazovem banku“\n"
        "• „podsjeti me svaki dan u 8 da popijem vitamine“\n"
        "• „što imam danas?“, „što imam ovaj tjedan?“\n"
        "• „pomakni zubara na petak u 9“\n"
        "• „obriši zubara“\n"
        "• „pauziraj sve do ponedjeljka“, „nastavi sve“\n"
        "• „poništi“\n"
        "Na podsjetnik možeš odgovoriti „gotovo“, „za 10 minuta“ ili „preskoči“."
    ),
    no_button="Ova tipka više ne pripada nijednom tvom podsjetniku.",
    stranger=("Još ne poznajem ovaj razgovor. Zatraži kod od osobe koja vodi duly i pošalji mi ga ovdje."),
    chat_taken="Ovaj razgovor već pripada drugoj osobi.",
    time_passed="To je vrijeme prošlo. Napiši neko kasnije.",
    snooze_too_far="Mogu ga odgoditi najviše {days} dana. Napiši ranije vrijeme.",
    too_many="Imaš onoliko podsjetnika koliko smiješ imati. Prvo jedan obriši.",
    too_often="To je prečesto. Razmak mora trajati najmanje {length}.",
    too_long="To je predugo za podsjetnik. Napiši kraće.",
    went_wrong="To nije uspjelo i ništa nije promijenjeno. Pokušaj ponovno kasnije.",
)

NOTICES = NoticeTexts(
    failed="✗ {name} nije uspio {moment}: {reason}",
    failed_often="✗ {name} nije uspio {moment}, {count} puta zaredom: {reason}",
    failed_and_works="✗ {name} nije uspio {moment}, a sada opet radi: {reason}",
    failed_many="✗ Nije uspjelo {count} rasporeda: {reason}",
    works="✓ {name} opet radi.",
    works_many="✓ Opet radi {count} rasporeda: {names}",
    next_attempt="Sljedeći pokušaj {moment}.",
    no_next_attempt="Nije predviđen daljnji pokušaj.",
    no_reason="razlog nije poznat",
    no_answer="Završilo je bez odgovora.",
    and_more="i još {count}",
    shortened="… još {count} znakova",
    cost="Cijena: {cost}",
    session="Sesija: {session}",
    agent_silent="agent nije odgovorio",
    limit_until="agent je dosegnuo ograničenje korištenja, ponovno radi {moment}",
    limit_reached="agent je dosegnuo ograničenje korištenja i ne kaže do kada",
    not_taken="{host} nije primio ovu poruku, zato je ovdje.",
)

SPOKEN = Spoken(messages=MESSAGES, dates=DATES, chat=CHAT, notices=NOTICES)
