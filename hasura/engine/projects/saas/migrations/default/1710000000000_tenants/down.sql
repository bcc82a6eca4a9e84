DROP TABLE invitation, invitation_status, account, tenant, plan;
