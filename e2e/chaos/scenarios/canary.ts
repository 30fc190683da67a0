import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@herald/testing/until'
import { onPlatform, type Platform } from '../platform.ts'
import { runningProcesses, signalAll } from '../processes.ts'
import { withReceiver } from '../receiver.ts'
import type { Scenario } from '../scenario.ts'
import { send, untilAllSettled } from '../sends.ts'
import { findInFiles, findInTexts, type Secrets } from '../traces.ts'

const externalId = 'canary-user-5d1f0c7a'
const title = 'Canary title 71b2e9'
const apps = ['gateway-1', 'audience-1', 'campaigns-1', 'dispatcher-1', 'tracker-1', 'webhooks-1', 'postgres', 'nats-server'] as const

export const canary: Scenario = {
  needsSixProcesses: true,
  promise:
    'No token, key, endpoint, secret or content is ever in a log, a stored message or a webhook, faults included; an external id is in webhooks alone, as `externalId`.',
  async run({ say, note, check }) {
    await withReceiver((receiver) =>
      onPlatform({ ...receiver.env, LOG_LEVEL: 'trace' }, async (platform) => {
        const { herald, tenant } = platform
        const webhookSecret = await receiver.attach(tenant)
        const { secrets, devices } = await plant(platform, webhookSecret)
        const found = new Set<string>()
        let bytes = 0
        const search = (directory: string) => {
          const seen = findInFiles(join(herald.dataDir, directory), { ...secrets, externalId, title })
          // What is found in the configuration of nats-server does not count: the file must hold the passwords of its users, and only its owner may
          // read it (0600).
          for (const each of seen.found.filter((one) => !one.includes('nats-server.conf'))) found.add(each.replace(herald.dataDir, ''))
          bytes += seen.bytes
        }
        const sendOne = (key: string) =>
          send(tenant, key, devices, {
            target: { externalIds: [externalId] },
            content: { _default: 'en', en: { title: `${title} {{ user.externalId }}`, body: 'Body' } },
          })

        const campaigns = [await sendOne('canary-calm')]
        await untilAllSettled(tenant, campaigns)
        for (const name of apps) {
          // NATS is searched before the fault too, because the fault may delete what NATS stores now.
          search('nats')
          const pid = runningProcesses(herald.dataDir).get(name)
          if (pid === undefined) continue
          const sending = sendOne(`canary-${name}`)
          signalAll([pid], 'SIGKILL')
          if (name === 'nats-server') rmSync(join(herald.dataDir, 'nats', 'jetstream'), { recursive: true, force: true })
          say(`  killed ${name}`)
          campaigns.push(await sending)
          search('nats')
        }
        await troubleEverything(platform, devices)
        campaigns.push(await sendOne('canary-trouble'))
        await tenant.call('POST', '/v1/notifications', `{"canary": ${JSON.stringify(secrets['secret key'])}`)
        await untilAllSettled(tenant, campaigns)
        await until(() => (receiver.events.get('campaign.completed')?.size ?? 0) >= campaigns.length, {
          withinMs: 30_000,
          what: 'every event',
        })
        search('nats')
        search('logs')

        const inStarter = findInTexts([herald.output()], { ...secrets, externalId, title })
        const inWebhooks = findInTexts(receiver.bodies, { ...secrets, title })
        const namedElsewhere = receiver.bodies.filter((body) => body.replaceAll(`"externalId":"${externalId}"`, '').includes(externalId))
        const named = receiver.bodies.filter((body) => body.includes(`"externalId":"${externalId}"`))
        note({
          planted: Object.keys(secrets).length + 2,
          searchedBytes: bytes,
          webhookBodies: receiver.bodies.length,
          campaigns: campaigns.length,
          unsettled: campaigns.filter(({ status }) => status !== 'sent').length,
        })
        const control = ['logs', 'nats'].filter(
          (place) => findInFiles(join(herald.dataDir, place), { appId: tenant.appId }).found.length > 0,
        )
        check(control.length === 2, `the search does not even find the app’s id, which is no secret, but in ${control.join(', ')}`)
        check(found.size === 0, `found ${[...found].join(', ')}`)
        check(inStarter.length === 0, `the starter printed ${inStarter.join(', ')}`)
        check(inWebhooks.length === 0, `webhooks were sent ${inWebhooks.join(', ')}`)
        check(namedElsewhere.length === 0, 'a webhook names the user elsewhere than in externalId')
        check(named.length > 0, 'no webhook names the user, so the search would find nothing')
        check(
          campaigns.every(({ status }) => status === 'sent'),
          'a send did not settle',
        )
      }),
    )
  },
}

/** Registers one device of each platform for the user. Gives the devices, and the secrets to search for under names that say what they are. */
async function plant({ herald, tenant }: Platform, webhookSecret: string) {
  const devices = (await Promise.all((['ios', 'android', 'web'] as const).map((platform) => tenant.makeDevices(platform, 1)))).flat()
  for (const device of devices) await tenant.register(device, { externalId, tags: { name: 'Ada' } })
  const [ios, android, web] = devices
  const kept = JSON.parse(readFileSync(join(herald.dataDir, 'secrets.json'), 'utf8')) as {
    hmacSecret: string
    sealKeys: string
    passwords: Record<string, string>
    natsPasswords: Record<string, string>
  }

  // The simulator's accounts are made again here, because the simulator shows each private key only once.
  const teamId = tenant.appId.slice(-10).toUpperCase()
  const keyId = teamId.split('').toReversed().join('')
  const apns = await tenant.simulator<{ privateKey: string }>('POST', '/accounts', {
    kind: 'apns',
    teamId,
    keyId,
    bundleId: tenant.bundleId,
  })
  await tenant.admin('PUT', '/providers/apns', {
    teamId,
    keyId,
    privateKey: apns.privateKey,
    bundleId: tenant.bundleId,
    environment: 'production',
  })
  const serviceAccount = await tenant.simulator<{ private_key: string }>('POST', '/accounts', { kind: 'fcm', projectId: tenant.projectId })
  await tenant.admin('PUT', '/providers/fcm', { serviceAccount })
  const identity = await tenant.admin<{ secret: string }>('POST', '/identity-secret')

  const secrets: Secrets = {
    'APNs token': ios?.token ?? '',
    'FCM token': android?.token ?? '',
    endpoint: new URL(web?.endpoint ?? '').pathname,
    p256dh: web?.keys?.p256dh ?? '',
    auth: web?.keys?.auth ?? '',
    'secret key': tenant.secretKey,
    'public key': tenant.publicKey,
    'administration token': herald.adminToken,
    'APNs private key': keyLine(apns.privateKey),
    'FCM private key': keyLine(serviceAccount.private_key),
    'webhook secret': webhookSecret,
    'identity secret': identity.body.secret,
    'HMAC secret': kept.hmacSecret,
    'sealing key': kept.sealKeys.split(':')[1] ?? '',
    ...Object.fromEntries(Object.entries(kept.passwords).map(([app, password]) => [`password of ${app}`, password])),
    ...Object.fromEntries(Object.entries(kept.natsPasswords).map(([app, password]) => [`NATS password of ${app}`, password])),
  }
  const missing = Object.entries(secrets).filter(([, text]) => text.length < 8)
  if (missing.length > 0) throw new Error(`not planted: ${missing.map(([name]) => name).join(', ')}`)
  return { secrets, devices }
}

/** Gives the second line of a PEM's body, which is a complete line of the key. */
const keyLine = (pem: string): string => pem.split('\n')[2] ?? ''

/** Makes the provider answer one push to each device with an error or a broken connection, because such answers are logged. */
async function troubleEverything({ tenant }: Platform, devices: readonly { id: string; platform: string }[]): Promise<void> {
  const answers: Record<string, string> = { ios: 'reset_after_accept', android: 'failing', web: 'unavailable' }
  for (const { id, platform } of devices) await tenant.simulator('PUT', `/devices/${id}/behaviour`, { answer: answers[platform], times: 1 })
}
