-- Leaves the pages outside of a search's time alone. A range of pages costs a few bytes, so an event costs next to nothing.

CREATE INDEX audit_search_at ON audit_search USING brin (at) WITH (pages_per_range = 64, autosummarize = on);
