DROP FUNCTION search_pages(text);
DROP FUNCTION page_document(page);
DROP FUNCTION long_pages(int);
DROP FUNCTION my_pages(json);
DROP MATERIALIZED VIEW page_count;
DROP VIEW public_page;
