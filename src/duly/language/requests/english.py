"""How people ask in English."""

from __future__ import annotations

from duly.language.requests.form import RequestWords

WORDS = RequestWords(
    courtesies=(
        "yo|please|pls|plz|thanks|thank you|thx|ty|cheers|hey|hi|hello|ok|okay|so|now|duly|hey duly|just|kindly"
    ),
    askings=(
        "can you|could you|would you|will you|can u|could u|would u|can you please|could you please"
        "|would you please|can u pls|can you pls|could you pls|i want you to|i need you to|i'd like you to"
        "|i would like you to"
    ),
    leads=(
        "remind me|reminder|set a reminder|set reminder|set me a reminder|add a reminder|make a reminder"
        "|create a reminder|new reminder|give me a reminder|send me a reminder|ping me|nudge me|reming me|remimd me"
        "|a reminder|put a reminder|schedule a reminder|i need a reminder|i want a reminder|dont let me forget"
        "|don't let me forget|do not let me forget"
    ),
    joints="to|that|about|of|for|that i have to|that i need to|that i should|i have to|i need to|i should|abt|2|re",
    befores="before|prior to|ahead of|after|early",
    danglers="for|by|set for|scheduled for|due",
    asks_what=(
        "what's on|whats on|what is on|what do i have|what've i got|what have i got|what's planned|what is planned"
        "|what's due|what is due|whats due|what's coming up|what is coming up|whats coming up|what's scheduled"
        "|what is scheduled|anything on|do i have anything|have i got anything|what is there|what's there"
        "|what am i doing|what's on my list|what reminders do i have|any reminders|whats|what's|what is"
        "|what are my reminders|what's on my plate|what's next|what is next|whats next|what does my day look like"
        "|what does my week look like|wut do i have|wat do i have|do i have reminders|do i have any reminders"
        "|agenda|my agenda|what are the reminders"
    ),
    shows="show|show me|list|list me|give me|see|display|view|get|read me|tell me|print|let me see|can i see",
    list_fillers=(
        "on|for|my|the|me|of|in|to do|todo|all|planned|scheduled|due|there|coming up|up|do i have|have i got|i have"
        "|reminders|reminder|schedule|agenda|list|tasks|appointments|things|calendar|please|set|active|open"
        "|upcoming"
    ),
    nouns="reminders|reminder|schedule|agenda|list|appointments|tasks|calendar|todos",
    today="today|2day|tonight|this day|now",
    tomorrow="tomorrow|2moro|tmrw|tmr|tomorow|tommorow|2morrow",
    week="week|this week|the week|the next 7 days|next 7 days|the next seven days|the coming week",
    everything=(
        "everything|all|all of them|all reminders|all my reminders|all the reminders|my reminders|every reminder"
        "|reminders|the reminders|all of my reminders|it all|notifications|all notifications"
    ),
    moves=(
        "move|reschedule|push|push back|postpone|shift|change|put off|delay|bring forward|set|switch|make|rebook"
        "|reschedule the reminder for|change the time of"
    ),
    move_to="to|until|till|for|on|onto|back to|forward to|2|out to",
    cancels=(
        "cancel|delete|remove|drop|erase|kill|get rid of|scrap|forget about|clear|stop reminding me about"
        "|stop reminding me of|stop reminding me to|no more reminders about|no more reminders for"
    ),
    pauses="pause|mute|silence|suspend|put on hold|put…on hold|turn off|turn…off|switch off|stop",
    resumes=(
        "resume|unpause|unmute|continue|restart|reactivate|turn on|turn…on|turn…back on|go on with|reenable|enable"
    ),
    until="until|till|til|up to|to|till next",
    for_length="for",
    from_now="in",
    at_hour="at",
    articles=(
        "the|my|a|an|that|this|our|reminder|reminders|the reminder|my reminder|about|for|of|to|reminding me|the one"
        "|that one|one|with|called|named|everything about"
    ),
    pronouns="it|that|this|them|that one|this one|the one|one|the last one",
    undos=(
        "undo|undo it|undo that|undo this|undo last|take it back|take that back|revert|revert that|oops|oops undo"
        "|undo please|no undo|ctrl z|scratch that|undo the last|undo the last one|undo my last change"
    ),
    helps=(
        "help|help me|?|what can you do|what can i say|what can i do|how does this work|how do i use this|commands"
        "|how do i use you|what do you do|start|i need help|how does it work|instructions|what can i ask|menu"
    ),
    yes="yes|y|yep|yeah|yup|sure|ok|okay|right|correct|do it|please do|yes please|exactly|that's right|go ahead",
    no="no|n|nope|nah|no thanks|never mind|nevermind|cancel|forget it|wrong|neither|none|stop|don't|leave it",
)
