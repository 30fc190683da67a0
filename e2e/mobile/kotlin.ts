import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import type { Herald } from '@herald/testing/herald'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import type { User } from '@herald/contracts/user'
import { ok, pushesOf, read, sendCampaign, untilSettled } from '../tests/campaigns.ts'

export type Finding = { what: string; isRight: boolean; found: unknown }

/** Takes one device from its registration to its deletion with the compiled client. Checks what the client answers and what Herald stores. */
export async function walkKotlin(herald: Herald, jar: string, directory: string): Promise<Finding[]> {
  const findings: Finding[] = []
  const check = (what: string, isRight: boolean, found: unknown) => void findings.push({ what, isRight, found })
  const tenant = await givenTenant(herald)
  const [device] = await tenant.makeDevices('android', 1)
  const token = device?.token ?? ''
  // On a plain JVM the client must set a private field to send a PATCH, and may do so only when java.net is opened to it. Android accepts PATCH
  // (sdks/kotlin/Herald.kt).
  const child = spawn(
    'java',
    ['--add-opens', 'java.base/java.net=ALL-UNNAMED', '-jar', jar, herald.baseUrl, tenant.publicKey, join(directory, 'state')],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const tell = async (command: string): Promise<string> => {
    child.stdin.write(`${command}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error(`the client ended at: ${command}`)
    return value
  }
  const userOf = async (externalId: string) => (await tenant.call<User>('GET', `/v1/users/by-external-id/${externalId}`)).body

  try {
    check('registers', (await tell(`register android ${token}`)) === 'ok', undefined)
    const id = await tell('id')
    check('keeps the id of the subscription', /^[0-9a-f]{24}$/.test(id), id)
    await tell(`register android ${token}`)
    check('a second start registers nothing new', (await tell('id')) === id, undefined)

    const [installed] = await tenant.makeDevices('android', 1, { installationIds: true })
    check(
      'registers a phone whose zone Herald refuses, without the zone',
      (await tell(`register android ${installed?.token} 1.1 GMT-06:00`)) === 'ok',
      undefined,
    )
    check('stays the same device when its token changes', (await tell('id')) === id, undefined)
    await tell(`register android ${installed?.token}`)

    await tell('login ada')
    await tell('tag plan pro')
    await tell('language fr')
    const ada = await userOf('ada')
    check(
      'logs in, tags and describes the user',
      ada.tags['plan'] === 'pro' && ada.language === 'fr' && ada.timezone === 'Europe/Berlin',
      ada,
    )

    const campaign = await sendCampaign(tenant, {}, 'sending')
    await untilSettled(tenant, campaign)
    const [push] = await pushesOf(tenant, campaign)
    const msgId = String(push?.msgId)
    for (const kind of ['delivered', 'clicked', 'dismissed'])
      check(`reports ${kind}`, (await tell(`${kind} ${msgId}`)) === 'true', undefined)
    const { stats } = await read(tenant, campaign)
    check(
      'the reports are counted once each',
      stats.delivered === 1 && stats.opened === 1 && stats.clicked === 1 && stats.dismissed === 1,
      stats,
    )
    check('a forged report is answered with false and throws nothing', (await tell('delivered nothing.AAAA')) === 'false', undefined)

    await tell('optOut')
    await tell(`register android ${token}`)
    const out = await userOf('ada')
    check('opted out stays opted out at the next start', out.subscriptions[0]?.optedIn === false, out.subscriptions)
    await tell('optIn')

    // No server listens at this address, so a change that the client makes now waits, even across a restart of the mobile app.
    await tell('restart http://127.0.0.1:9')
    check('a change while Herald is away throws nothing', (await tell('tag plan free')) === 'ok', undefined)
    await tell('restart')
    await tell('foreground')
    await until(async () => (await userOf('ada')).tags['plan'] === 'free', { what: 'the change that waited' })
    check('a change that waited arrives after a restart', true, undefined)

    ok(await tenant.call('DELETE', `/v1/subscriptions/${id}`), 204)
    await tell(`register android ${token}`)
    check('a device that was removed at the server registers anew', (await tell('id')) !== id, id)
    await tell('restart http://127.0.0.1:9')
    await tell('optOut')
    await tell('tag plan gold')
    await tell('logout')
    await tell('restart')
    await tell('foreground')
    const { userId } = ok(await tenant.call<{ userId: string }>('PATCH', `/v1/subscriptions/${await tell('id')}/user`, { tags: {} }), 200)
    const { body: anonymous } = await tenant.call<User>('GET', `/v1/users/${userId}`)
    check('logs out', (await userOf('ada')).subscriptions.length === 0, undefined)
    check(
      'a logout keeps an opt-out that waits, and drops a tag that waits',
      anonymous.subscriptions[0]?.optedIn === false &&
        anonymous.tags['plan'] === undefined &&
        (await userOf('ada')).tags['plan'] === 'free',
      anonymous,
    )
    check('unregisters', (await tell('unregister')) === 'ok' && (await tell('id')) === 'null', undefined)
  } finally {
    child.kill()
  }
  return findings
}
