DROP FUNCTION publish_page(int);
