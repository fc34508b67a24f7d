-- How many agents stand on a path, it included. As the owner: an agent may not read the rows above him, and only a number comes out.
create function organisation_agents(place ltree) returns int
language sql stable parallel safe security definer set search_path = public as $$
  select count(*)::int from organisations where kind = 'AGENT' and id = any(string_to_array(place::text, '.')::bigint[])
$$;
