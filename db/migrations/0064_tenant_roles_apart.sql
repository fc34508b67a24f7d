-- Roles that tenants made are given by whoever holds what is in them; rows that all tenants share name built-in roles and the platform's.
delete from role_distributions d using roles t where t.id = d.target_role_id and not t.builtin and t.org_id <> 1;
