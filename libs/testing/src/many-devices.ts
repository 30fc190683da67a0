import pg from 'pg'

/**
 * Makes `count` devices of an app by SQL, each with a user of five tags. Gives the seconds. 18 % were last active over a month ago; one in fifty is
 * unreachable. Only user 3/4 `count` has the tag `winner`.
 */
export async function makeManyDevices(databaseUrl: string, { appId, count }: { appId: string; count: number }): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const startedAt = performance.now()
    // Both statements run in one transaction, in which now() stays the same. Ids are made from now(), so the user id in a device's row is the same as
    // in the user's row.
    await client.query('begin')
    await client.query(insertUsers, [appId, count])
    await client.query(insertDevices, [appId, count])
    await client.query('commit')
    await client.query('vacuum (analyze) users')
    await client.query('vacuum (analyze) subscriptions')
    return (performance.now() - startedAt) / 1000
  } finally {
    await client.end()
  }
}

/** The time of registration: spread over two years, the last one a minute ago. In the SQL $1 is the app and $2 is the number of devices. */
const madeAt = `now() - interval '1 minute' - ($2::int - n) * (interval '730 days' / $2::int)`
const activeAt = `now() - (n::bigint * 7727 % 120) * interval '1 day' / case when n % 4 = 0 then 1 else 4 end`
const platform = `(array['ios', 'android', 'web'])[1 + n % 3]`
const secretOf = `encode(sha256(convert_to($1::text || 'secret' || n, 'UTF8')), 'hex')`
/** An id in the usual form (spec: limits/ids): Unix seconds and 16 characters, which here are made from the number of the device. */
const idOf = (kind: 'user' | 'device'): string =>
  `lpad(to_hex(extract(epoch from ${madeAt})::bigint), 8, '0') || substr(md5($1::text || '${kind}' || n), 1, 16)`

const insertUsers = `
  insert into users (id, app_id, external_id, tags, language, timezone, country, created_at, last_active_at)
  select ${idOf('user')}, $1, 'customer-' || n,
    jsonb_build_object(
      'plan', case when n % 20 = 0 then 'team' when n % 4 = 0 then 'pro' else 'free' end,
      'city', 'city-' || n::bigint * 7919 % 1000, 'orders', n::bigint * 31 % 50, 'newsletter', n % 3 = 0, 'score', (n::bigint * 17 % 1000) / 10.0
    ) || case when n = $2::bigint * 3 / 4 then '{"winner": true}'::jsonb else '{}' end,
    (array['en', 'de', 'pt-BR', 'fr', 'es'])[1 + n % 5], (array['Europe/Berlin', 'America/Sao_Paulo', 'Asia/Tokyo'])[1 + n % 3],
    (array['DE', 'BR', 'JP', 'FR'])[1 + n % 4], ${madeAt}, ${activeAt}
  from generate_series(1, $2::int) as n`

const insertDevices = `
  insert into subscriptions (id, app_id, user_id, platform, address, address_hash, p256dh, auth, opted_in, invalidated_at,
    app_version, sdk_version, os_version, device_model, browser, session_count, last_session_at, created_at, last_active_at)
  select ${idOf('device')}, $1, ${idOf('user')}, ${platform},
    case when ${platform} = 'web' then 'https://push.example/' || ${secretOf} || ${secretOf} else ${secretOf} end,
    sha256(convert_to($1::text || n, 'UTF8')),
    case when ${platform} = 'web' then repeat('k', 87) end, case when ${platform} = 'web' then repeat('a', 22) end,
    n % 100 <> 13, case when n % 100 = 87 then now() end,
    (array['9.9', '10.2', '10.2.1', '11.0'])[1 + n % 4], '3.1.0', (array['17.4', '18.0', '14'])[1 + n % 3],
    (array['iPhone16,2', 'Pixel 9', 'SM-S928B'])[1 + n % 3], case when ${platform} = 'web' then 'Firefox' end,
    1 + n % 40, ${activeAt}, ${madeAt}, ${activeAt}
  from generate_series(1, $2::int) as n`

/**
 * Gives SQL that registers devices of one platform in audience's schema as of a minute ago, each with an anonymous user. $1 is the app, $2 the
 * tokens. The hash is that of audience's core/device.ts.
 */
export const insertTokens = (platform: 'ios' | 'android'): string => `
  with made as (
    select token, lpad(to_hex(extract(epoch from now())::bigint - 60), 8, '0') || substr(md5(token), 1, 16) as id
    from unnest($2::text[]) as given(token)
  ), users_made as (
    insert into users (id, app_id) select id, $1 from made
  )
  insert into subscriptions (id, app_id, user_id, platform, address, address_hash, created_at)
  select id, $1, id, '${platform}', token, sha256(convert_to($1 || ' token:' || token, 'UTF8')), now() - interval '1 minute' from made`

export const insertAndroids = insertTokens('android')
