import type { Herald } from '@herald/testing/herald'
import type { Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { onDatabase } from './platform.ts'

/** The report of an import, with the fields that tests read. */
export type Report = {
  id: string
  state: string
  offset: number
  rows: number
  created: number
  updated: number
  kept: number
  rejected: number
  byCode: Record<string, number>
  byPlatform: Record<string, number>
  optedOut: number
  warnings: Record<string, number>
  rowsPerSecond: number | null
}

export async function startImport(tenant: Tenant, settings: Record<string, unknown>): Promise<string> {
  const { status, body } = await tenant.admin<Report>('POST', '/imports', settings)
  if (status !== 201) throw new Error(`an import was answered ${status}: ${JSON.stringify(body)}`)
  return body.id
}

/** Tries once to upload a file from the byte `from` on. Gives the HTTP status, or 0 when there was no answer. */
export async function putFile(
  { baseUrl, adminToken }: Herald,
  { appId }: Tenant,
  id: string,
  file: Buffer,
  { from = 0, mediaType = 'text/csv' }: { from?: number; mediaType?: string } = {},
): Promise<number> {
  const url = `${baseUrl}/v1/admin/apps/${appId}/imports/${id}/data?offset=${from}`
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': mediaType }
  return fetch(url, { method: 'PUT', headers, body: file.subarray(from), signal: AbortSignal.timeout(240_000) }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0,
  )
}

/**
 * Sends a complete file and finishes the import. When an upload fails, the next one continues from the import's offset. Gives the report, and the HTTP
 * status of every upload (0 without an answer).
 */
export async function importFile(
  herald: Herald,
  tenant: Tenant,
  file: Buffer,
  settings: Record<string, unknown>,
  { id, withinMs = 240_000 }: { id?: string; withinMs?: number } = {},
): Promise<{ report: Report; statuses: number[] }> {
  const importId = id ?? (await startImport(tenant, settings))
  const mediaType = settings['format'] === 'jsonl' ? 'application/x-ndjson' : 'text/csv'
  const statuses: number[] = []
  const report = await until(
    async () => {
      const { status, body } = await tenant.admin<Report>('GET', `/imports/${importId}`)
      if (status !== 200) return undefined
      if (body.state === 'finished') return body
      const put = await putFile(herald, tenant, importId, file, { from: body.offset, mediaType })
      statuses.push(put)
      if (put >= 400 && put < 500 && put !== 409) throw new Error(`a part of the file was answered ${put}`)
      if (put === 200) await tenant.admin('POST', `/imports/${importId}/finish`)
      return undefined
    },
    { withinMs, what: 'the end of the import' },
  )
  return { report, statuses }
}

/** Reads the devices of an app with their users, without ids, ordered by address. */
export const contentOf = (herald: Herald, appId: string): Promise<Record<string, unknown>[]> =>
  onDatabase(herald, async (client) => {
    const { rows } = await client.query<Record<string, unknown>>(
      `select s.platform, s.address, s.p256dh, s.auth, s.opted_in, s.session_count, s.app_version, s.sdk_version, s.os_version, s.device_model,
         s.browser, s.standalone, s.created_at, s.last_active_at, u.external_id, u.tags, u.language, u.timezone, u.country,
         u.created_at as user_created_at, u.last_active_at as user_active_at,
         (select count(*) from audience.subscriptions o where o.user_id = u.id) as devices
       from audience.subscriptions s join audience.users u on u.id = s.user_id where s.app_id = $1 order by s.address`,
      [appId],
    )
    return rows
  })

/**
 * Makes a CSV file with `count` right rows of many kinds: several devices of a user, repeated devices, opted-out ones, fields with quotes and line
 * ends. A wrong row comes before every 50th.
 */
export function manyRows(count: number): Buffer {
  const lines = ['platform,token,externalId,tags,language,deviceModel,optedIn,sessionCount,createdAt,lastActiveAt']
  for (let n = 0; n < count; n += 1) {
    const token = n % 2 === 0 ? `${'ab'.repeat(24)}${String(n).padStart(16, '0')}` : `fcm-${n}:APA91b${'x'.repeat(60)}`
    const platform = n % 2 === 0 ? 'ios' : 'android'
    const externalId = n % 5 === 0 ? '' : `user-${n % Math.ceil(count / 3)}`
    const tags = `"{""plan"":""${n % 3 === 0 ? 'pro' : 'free'}"",""note"":""a, ü 😀""}"`
    const day = `2024-${String(1 + (n % 12)).padStart(2, '0')}-01 0${n % 10}:00:00`
    const line = [
      platform,
      token,
      externalId,
      tags,
      'de',
      `"Model ""${n % 9}""\nsecond line"`,
      n % 7 === 0 ? 'f' : 't',
      n % 40,
      '2023-01-01',
      day,
    ]
    if (n % 50 === 49) lines.push(n % 100 === 49 ? `${platform},"${token}"x,wrong` : `${platform},${token},null,,,,,,,`)
    lines.push(line.join(','))
    if (n % 97 === 0) lines.push(line.join(','))
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n`)
}
