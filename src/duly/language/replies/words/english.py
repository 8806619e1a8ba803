"""How people answer a reminder in English."""

from __future__ import annotations

from duly.language.atoms import Unit
from duly.language.replies.form import ReplyRole, ReplyWords

_MACROS = {
    "did": (
        "took|did|drank|ate|finished|completed|called|paid|sent|bought|fed|watered|cleaned|washed|booked"
        "|submitted|checked|handled|sorted|fixed|swallowed|made|walked|ordered|locked|closed|emptied|mailed|gulped"
        "|popped"
        "|emailed|posted|phoned|rang|texted|messaged|signed|uploaded|filed|renewed|returned|repaired|measured|tested"
        "|logged|injected|applied|cooked|charged|downed|collected|delivered|refilled|packed|printed|scanned|shipped"
        "|updated|ironed|vacuumed|hoovered|mopped|scheduled|answered|wrote|replied to|spoke to|talked to|gave|grabbed"
    ),
    "done": (
        "taken|done|had|drunk|eaten|finished|completed|called|paid|sent|bought|fed|watered|cleaned|washed|booked"
        "|submitted|checked|handled|sorted|fixed|swallowed|made|walked|ordered|locked|closed|emptied"
        "|emailed|posted|phoned|texted|messaged|signed|uploaded|filed|renewed|returned|repaired|measured|tested|mailed"
        "|logged|injected|applied|cooked|charged|collected|delivered|refilled|packed|printed|scanned|shipped|updated"
        "|ironed|vacuumed|hoovered|mopped|scheduled|answered|replied"
    ),
    "settled": (
        "done|finished|taken|completed|complete|sorted|handled|paid|sent|booked|fixed|ordered|submitted|signed|fed"
        "|watered|washed|cleaned|delivered|posted|filed|renewed|uploaded|bought|mailed|shipped|repaired|applied"
    ),
    "bare": "{settled}|checked|called|swallowed|emailed|phoned|returned|measured|tested|logged|injected|replied"
    "|answered|collected|charged|scheduled|picked up|handed in|dropped off|plugged in|wrapped up|ticked off"
    "|took care of|locked|emptied|ironed|vacuumed|hoovered|mopped|printed|scanned|refilled",
    "medicine": "pill|pills|medicine|medicines|medication|meds|med|tablet|tablets|vitamin|vitamins|dose|drops|water",
    "thing": (
        "it|that|this|them|em|those|these|mine|my one|ours|everything|all [of] (it|them)|him|her|both|both of (it|them)"
        "|{both} {medicine}"
    ),
    "both": "my|the|both|all my|all the|both my|the last",
    "have": "i have|i've|we have|we've|have|it has been|has been|it's been|they've been"
    "|they have been|that's been|she's been|he's been",
    "be": "i'm|i am|we're|we are|{itis}|am|is",
    "itis": "it's|it is|that's|that is|this is|everything is|everything's|they're",
    "just": "just|literally just|just now|now|recently|finally",
    "already": "already|long since",
    "lately": (
        "first thing|on time|as usual|when i (woke|got) up|before you asked|just now|this morning|earlier"
        "|earlier today|last night|a while ago|a moment ago|some time ago|ages ago"
    ),
    "meal": (
        "[right|just] (with|w|at|after|before) [my|some|a|the] (coffee|tea|breakfast|lunch|dinner|water|food|juice"
        "|milk|meal)"
    ),
    "today": "today|tonight|this time|this morning|this evening|for today|for now|just this once|this once",
    "place": (
        "at (work|school|the gym|the office|lunch|dinner|the doctor|the doctors|the shops)"
        "|in (bed|the shower|class|a call)"
        "|in the (car|bus|bath|office|middle of something)|on the (train|bus|road|phone|go|way)|not home"
        "|not at home|out|outside|away"
    ),
    "reason": (
        "(class|it|it's|the class|training|practice|the meeting|meeting|the appointment|the lesson|the game"
        "|that|that's|he|she"
        "|they) [is|was|has been|got|have] [been] (cancelled|canceled|called off)|i'm sick|i am sick|sick"
        "|i'm ill|i am ill"
        "|(i'm|i am) (injured|away|on holiday|on vacation|not well|not feeling well)|i have a (cold|fever)"
    ),
    "means": "online|by card|in cash|by transfer|with [my|the] (phone|card|app)",
    "reminder": (
        "it|this|that|them|this one|that one|[the|this|that|my|your] (reminder|reminders|alarm)|today's|todays"
        "|tonight's"
        "|(today's|todays|tonight's|this|that) (one|dose|{medicine})"
    ),
    "again": "again|once more|one more time|please|pls",
    "bit": "a bit|a little|little|a little bit|much|maybe|perhaps|until|sometime",
    "about": "about|around|another|maybe|like|at least|approximately",
    "when": "in [{about}] (<duration>|<number>)|[for|after|by] [{about}] <duration>|<duration> from now|<time>",
    "soon": (
        "later|{bit} later|later on|later today|soon|in a [little] (bit|while|moment|sec|second|few)|right away|shortly"
    ),
    "now": "now|right now|rn|at the moment|just now|atm",
    "will": "i'll|i will|we'll|we will|i'm going to|i am going to|gonna|i'm gonna|will|going to|let me",
    "act": "do|take|finish|get to|drink|eat|call|pay|complete|handle",
    "hasnt": (
        "haven't|have not|not|didn't|did not|hasn't|i'm not|i am not|it's not|i'm still not|still not"
        "|still haven't|still didn't"
    ),
    "nudge": "remind|ask|ping|notify|nudge|message|tell|call|wake|alert",
    "give": "give me|gimme|gimmie",
    "could": "can you|could you|would you|will you|can you please|could you please|would you please",
    "assent": "yes|yeah|yea|ya|ye|yep|yup|ok|okay|sure|sure thing|right",
    "gush": "sure|right|great|perfect|excellent|fine|cool|super|of course|absolutely|definitely|certainly",
    "drop": "cancel|stop|skip|dismiss|forget|ignore|drop|delete|remove|abort|quit|end|discard",
}
_PHRASES = {
    ReplyRole.YES: """
yes|yep|yeah|yeh|yup|yea|ye|ya|yeap|yis|indeed|yas|yessir|aye|sure|sure thing|of course|ofc|absolutely|definitely
certainly|correct
affirmative|you bet
alright|all right|right|fine|confirmed|confirm|ack|acknowledged|acknowledge|all good|that's fine|it's fine|it's ok
yes already|okey dokey|okie dokie|oki doki|alrighty|y|check|yes (i did|i have|we did|we have|indeed|sir)""",
    ReplyRole.HEARD: """
got it|gotcha|[duly] noted|understood|i understand|received|copy that|roger that
[that|this|it] sounds (good|great|fine)|good|great|cool|excellent|very well|very good|nice|awesome|wonderful""",
    ReplyRole.DONE: """
[all|and|now|everything|it|that|all of (it|them)] {bare} [now|all|today|for today|with (it|that|{both} {medicine})]
{did} {thing} [now|all|too|as well|today|on time|both|{just}]|done (it|that|this)|(i|we) have
got (it|them|that|everything) done [now|today]|{medicine} [all] (taken|done)|been done|long done|done long ago|did so
picked (it|them|him|her) up|handed (it|them) in|dropped (it|them|him|her) off|took (it|them) out
sent (it|them) (off|out)
(filled (it|them) (in|out|up)|gulped (it|them) down|washed (it|them) down|wrote (him|her|them) back) [now|today|already]
(called (him|her|them) back|put (it|them) on|[i|we] went there|[i|we] went) [now|today|already]
down the hatch|been there
(took|put) out (it|them)|picked up (it|them)|handed in (it|them)|filled (in|out) (it|them)|dropped off (it|them)
just now|tick|that's me done|been there done that|mission complete
[{be}] [all|now|finally] (done|finished|completed|complete|taken|sorted|handled|paid|sent) [now|with (it|that)]
{be} taken care of|taken care of [it]
[it is|it's|it was|all] [all] taken care of [it|already]|[has|have|had] been done for (ages|hours|days|a while)
took care of (it|that)|all set|job done|[all] done and dusted
task (done|completed|complete)
mission accomplished
got it over with|made the call|sure have|took both
had (it|them|mine|{both} {medicine}) [now|today|{already}|{lately}|{meal}]
({both}|[2|two|one|1]) {medicine} (taken|done)
marked [it|this] [as] done|mark [it|this] [as] (done|complete|completed|taken)
(they are|they're|she's|he's) (done|fed|paid|watered)|[it] was done|have already|paid in full|all done for the day
[all|it's all|it's] taken care of|{did} {thing} online""",
    ReplyRole.ALREADY: """
[yes] [i|we] sure did
[yes] (i|we) [{just}|{already}] (did|{did} {thing}|{did}) [{already}|now|today|all|too|this morning]
[yes] (i|we) [{just}|{already}] (had {both} {medicine}|had (it|them)) [{already}|now|today|all|too|this morning]
{have} [{just}|{already}] {done} [{thing}] [{already}|now|today|this morning]
{already} (did|have|{did} {thing}|{did}|{done}|{done} {thing}) [{already}|{lately}|today]|already|i just have
[yes] [i|we] [{already}] {did} {thing} [{already}] (at|around|about) <clock> [am|pm|o'clock]
it are [all|now|already] {settled} [now|already]
wrote back|{did} {thing} {already} (today|this morning|{lately})|(they're|{itis}) [all] {settled} [now|{already}]
{just} (did|{did} {thing}|{done} [{thing}]|{did}) [now|{already}]
{did} {thing} {already}|{bare} {already}|{did} {already}
{be} [all] {already} (done|finished|taken|completed|sorted|handled|paid|sent)
{itis} [all] (done|finished|taken|completed|sorted|handled|paid|sent) [now]
(i|we) [{just}|{already}] {did} [{thing}] [{about}] <duration> ago
(i|we) had (it|them|{both} {medicine}) [{about}] <duration> ago
{did} [{thing}] [{about}] <duration> ago|{bare} [{about}] <duration> ago
had (it|them|{both} {medicine}) <duration> ago
[i|we] {did} {thing} ({lately}|{meal}|ages ago)|{bare} ({lately})
(paid|bought|ordered|booked|renewed) {means}""",
    ReplyRole.NO: "no|nope|nah|naw|nay|negative|no way",
    ReplyRole.DENY: """
not (done|finished|taken|complete|completed|paid|sent)|[i|we] [still] (haven't|didn't|have not|did not)
[i|we] (haven't|didn't|have not|did not) ({act}|{done}) [{thing}]|(it's|it is|that's|it) (not|isn't) (done|finished)""",
    ReplyRole.DROP: """
[just|can you|could you|you can] {drop} [{reminder}] [please|today|this time|for today|now]|no reminder needed
(leave it|leave it out|give it a miss|let's not) [{today}]
(forget|forget about) (it|that|this)|let it go|let it be|leave (it|this|that|me alone)
stop (reminding|asking|bothering|nagging|messaging) [me] [about (it|this|that)]
turn (it|this|that) off|turn off [{reminder}]|switch it off|call it off|enough|that's enough|go away|shut up
no [more] need [to|to remind me [again]|for (it|this|that)] [anymore|any more|today]
no longer (needed|necessary|need (it|this|that))
unnecessary|let's skip [it|this]|close [it|this]
no more [please|reminders]|(dismissed|cancelled|canceled) [it|this]
not (needed|necessary|required|anymore) [today|anymore|any more]
(it's|it is|that's) not (needed|necessary|required) [today|anymore|any more]
never mind|nevermind|nvm|don't bother [me]|don't remind me [again|anymore|any more|today]|don't worry about it
[i] (don't|do not) need (it|this|that|to|to be reminded|them|{reminder}) [anymore|any more|today|now]
(scratch|scrap|bin) (it|that|this)|give it a rest|[it] doesn't matter|not relevant [anymore|any more]|clear it
(no {medicine}|none) {today}|can we [just] skip [it|this] [{today}]|not happening [{today}]|stop nagging [me]
no more of these|[please] don't bother
let's leave it
(nah|nope|naw) (skip|forget [about]|cancel|drop|leave) [it|this|that]""",
    ReplyRole.REFUSE: """
not (interested|today|this time|wanted|tonight)|pass|i pass|i'll pass|(i'll|i will) skip [it|this|today]
[i'm|i am] (skipping|dropping|leaving out|passing on) [{reminder}] [{today}]
not (taking|doing|having) {reminder} {today}
(i'll|i will) (skip|drop|leave out|pass on) {reminder} [{today}]|[i'll] give (it|this one) a miss [{today}]
[i'm] sitting this one out
[i] (don't|do not) want (it|this|that|to|them) [anymore|any more|today]
[i] (won't|will not) (do|take) (it|this|that|them) [today]|i won't|not doing it|not taking it
i'll pass ({today}|on (it|this|that))|[i'm|i am] not (gonna|going to) (do|take) (it|this|that|them) [{today}]
[i'm|i am] not (doing|taking|having) (it|this|that|them) [{today}]|not (gonna|going to) [{today}]
[i] won't be (doing|taking) (it|this|that|them)""",
    ReplyRole.NOT_YET: """
not yet|not now|not rn|not right now|not just yet|not quite yet|not atm|not at the moment|not done yet
[i] (can't|cannot|can not) (now|rn|right now|atm|at the moment)|later|maybe later|bit later|a bit later
[i] (haven't|didn't) yet|[i] haven't (done|taken) it yet|still not|not (done|finished|taken) yet
no time (now|rn|right now)
(i'm|i am) [still|just|currently|now] <doing>|still (<doing>|in|at|on)|[i'm|i am] still
[i] haven't (started|begun|even)|just <doing>
let me (finish|eat|get home|wake up|shower) [this|that|first]
[i] (have|need|got) to (eat|shower|finish|go|get|work) [first]
hold up|later maybe|not ready [yet]|running late|in the middle of|i haven't yet [no]
(i'm|i am) (with|at|in|on|having|out)|as soon as i|once i (get|am|have)
(can't|cannot) [,] (driving|eating|working|<doing>)|no can do [{now}]
not (till|until) later|in a mo|soonish|maybe in a bit|{give} a (few|mo|tick)|not yet but soon
need a (sec|moment)""",
    ReplyRole.LATER: """
{soon}|not {now}|not for now|not yet|not just yet|not quite yet|not quite|another time|some other time
maybe [{soon}|{when}] later|after a while
[{be}] [still|too|a bit|very|really|kinda|so|pretty|currently] busy [{now}]|[i] (can't|cannot|can not) {now}
(can't|cannot) do it {now}|(no time|don't have time|i don't have time) [{now}]|in a meeting|i'm in a meeting
i'm driving|driving|l 8 r|l 8 er|laters|lemme finish|[{be}] [still|currently] {place} [{now}]
[{be}] [still] (eating|cooking|sleeping|working|showering|asleep) [{now}]|(when|once) (i'm|i am|i get) (home|back|there)
[i] (haven't|didn't|have not) (had|have|get|got|found) [any|the|a] (time|chance|moment|minute) [yet|so far|to]
after [the] (work|lunch|dinner|breakfast|meeting|call|shower|gym)|[i] haven't (gotten|got) (to it|around to it) [yet]
wait [{when}|a (bit|moment|sec|second|little)]|(hold|hang) on [{when}|a (bit|moment|sec|second)]
[just] (one|a|1) (sec|second|moment)|moment|just a bit
{give} [just] [{about}] (a (sec|second|moment|bit|while|little)|some time|more time|<duration>|<time>) [more]
{give} [just] [{about}] a few [more] minutes [more]
[in] [just] [a] (few|couple|couple of) [more] (minutes|mins)|[in] [a] few [more] hours
[in] [just] some [more] minutes|a little longer
a bit longer|a bit more [time]|[a little] more time|[i] need [a bit|a little|some] more time
[i|i'd] (need|want|would like|like) [{about}] <duration> [more|longer]
[just] {when} [more|longer|later]
[just|another|only|maybe|say|about] <duration> [more|longer|later|pls]|<duration> from now
{hasnt} ({done}|{act}) [{thing}] (yet|so far)|not (done|finished|taken|ready) yet
not yet ({done}|ready|finished) [{thing}]|{be} not (done|finished|ready) yet|haven't yet|i haven't yet|not so far
(i|we) {hasnt} ({done}|{act}) [{thing}] yet
[{be}] (almost|nearly|half|about|not quite) (done|finished|there|ready)|almost|nearly
[{will}] be (done|finished|ready|there) [{soon}|{when}]|(done|finished|ready) ({soon}|in [{about}] <duration>)
{will} [{act} [{thing}|to it]] [{soon}|{when}|{now}]|{will} [{soon}] {act} [{thing}]|will do|do it {soon}
do it {when}|i'll be back [{soon}|{when}]|brb
[{be}] [just] (doing|taking|finishing|drinking|eating) {thing} [{now}|{soon}|{when}|as we speak]
[{be}] (working on it|on it|on my way|at it|coming|getting to it|in progress)|[{be}] about to [{act} [{thing}]]
(postpone|delay|defer|reschedule|snooze|push|move) [{reminder}] [back] [for|by|to|until] [{when}|{soon}|<number> [more]]
snoozed|a bit later|later then|then later|{assent} [,] right away
next time
still (not|no|nope|nothing)|swamped|slammed|tied up|(bit|bit more) later|zzz|zz|zzzz
[{be}] having (lunch|dinner|breakfast)
[{be}] on a call|not [at] home yet|[{be}] not home yet|[{be}] [still] driving|(bug|poke|hit) me (up|again|later)
[i] haven't (got|gotten) (round|around) to it [yet]|[i] didn't (manage|get to it|get around to it) [yet]
[no] [i|oops|i've|i just|just] [totally|completely] (forgot|forgotten) [it|about it|again|to] [{act} it]
(shit|damn|oh|ah|argh|crap) [i] [totally|completely] forgot [it|about it]
half way|halfway|half done|(halfway|half way) (there|through)|getting there|[{be}] [still] not there yet
[it's|it is] too (early|soon)|[i'm|i am] too tired [{now}]
(maybe|perhaps) {when}|{give} (<number>|another <number>) [more]|[just] <number> more|(in|around) the <time>
not this (minute|second)|(dinner|lunch|breakfast|coffee|food|shower) first""",
    ReplyRole.REMIND: """
[just|then] {nudge} me [{again}] [about (it|this|that)] [{when}|{soon}|another time] [{again}]
[then] (remind|ask|ping) [{again}] [{soon}|{when}]
[then] (try|come back|check back|check in|get back to me) [{again}] [{soon}|{when}]|again [{soon}|{when}]
repeat [{soon}|{when}]
try me [again] [{when}|{soon}]""",
    ReplyRole.ASK: """
{could} {nudge} me [{again}] [about (it|this|that)] [{when}|{soon}|another time] [{again}]
(can|could|may) i [please] have [{about}] <duration> [more|longer]
{could} [please] {give} [{about}] <duration> [more|longer]""",
    ReplyRole.AGO: "[just] [{about}] <duration> ago|a while ago|a moment ago",
    ReplyRole.OTHER: """
[very] (well|good|nicely|poorly|half|so) done|yes man|good job|nice one|take it easy
(check|confirm) [,] please|please [,] (check|confirm)|consider it done|no [,] no problem
not [yet] sure|[i'm|{will}|i have to|i need to] (call|calling) (mum|mom|mama|mommy|dad|boss)""",
    ReplyRole.MOCK: """
{assent} [,] right|right [,] (sure|sure thing)|(oh|ah|ha|wow|omg|lol|haha|hahaha|hehe|just) [,] {gush}
(yeah|yea|ya) [,] (yeah|yea|ya|sure)|sure [,] sure""",
    ReplyRole.PARTING: "see you [later|soon|tomorrow]|talk to you later|ttyl|catch you later",
    ReplyRole.THANKS: "thanks|thank you|thanks [you] (so|very) much|thank you (so|very) much|many thanks|thanks a lot",
    ReplyRole.POLITE: """
thanks again|cheers|(thanks|thank you|thx|ty) for (reminding me|[the|your] reminder|asking|[your|the] message)
please|kindly|sorry|sry|my bad|appreciated|much appreciated
good (morning|evening|afternoon|night|day)|morning|evening|yo|dear|buddy|mate|bro|friend|love|honey|sir|bye|goodbye
have a (good|nice|great) (day|one|evening)
well|then|actually|don't worry|no worries|no problem|no prob|just|um|uh|uhm|ahh|ooh|oops|wow|omg|phew|finally
honestly|you know|that's all|for reminding me
for the reminder|for asking|[my] (doc|doctor) (said|told me) [so|to]
mum|mom|mama|ma'am|mommy|boss|man|dude|fam|hun|hon|babe|darling|sweetie|pal|bruh|luv|x|xx|xxx|xo|xoxo|ta|aight|bet|och
dad|oops|whoops|argh|ugh|hehehe|promise|i promise|no need to worry|nearly forgot|no stress
cheers for the (nudge|reminder)|for the nudge
dearie
thanks for (checking|asking|the nudge)
you can (cross|tick|check) (it|that) off [the|your|my] [list]""",
    ReplyRole.JOIN: "but|and|so|though|however",
}

REPLIES = ReplyWords(
    phrases=_PHRASES,
    macros=_MACROS,
    negations="no|not|never|don't|do|i|won't|can't|cannot|couldn't|wouldn't|didn't",
    future="in",
    at="at",
    until="not until|after|not before|until|till|til|up to|not till",
    openers="at|on|this|next|around",
    days="tomorrow|tonight|noon|midnight|midday|evening|afternoon",
    inner="am|pm|a.m.|p.m.|o'clock|oclock|in|the|at|on|morning|evening|afternoon|night|week|half|past|to|h|quarter",
    plus="and",
    half="half",
    doing=("ing",),
    more="more|extra|additional|further",
    lengths={
        15: "quarter of an hour|a quarter of an hour|quarter hour|a quarter hour|quarter an hour",
        30: (
            "½ hour|½ an hour|½ h|½h|half an hour|half an hr|half hour"
            "|a half hour|another half hour|another half an hour"
            "|a half an hour"
        ),
        45: "three quarters of an hour|three quarter hour",
        90: "one and a half hours|hour and a half|an hour and half",
        120: "a couple of hours|couple of hours|couple hours|a couple hours|couple hrs|a couple of hrs",
    },
    numbers={1: "another", 40: "fourty"},
    typed={
        "u": "you",
        "cant": "can't",
        "dont": "don't",
        "havent": "haven't",
        "didnt": "didn't",
        "tmrw": "tomorrow",
        "tmr": "tomorrow",
        "tomo": "tomorrow",
        "abt": "about",
        "alr": "already",
        "mornin": "morning",
        "doen": "done",
        "dnoe": "done",
        "donw": "done",
        "doesnt": "doesn't",
        "maam": "ma'am",
    },
    units={Unit.MINUTE: "mn|mnt|minuet|minuts"},
)
