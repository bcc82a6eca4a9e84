DROP TRIGGER keep_the_caller_in ON merchant.ip_allow_list_entry;
DROP TRIGGER keep_the_caller_in ON merchant.merchant;
DROP FUNCTION merchant.keep_the_caller_in();
DROP TRIGGER plain_network ON merchant.ip_allow_list_entry;
DROP FUNCTION merchant.plain_network();
