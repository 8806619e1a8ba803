-- Reserved: replaced by the change that takes this number.
SELECT 1;
