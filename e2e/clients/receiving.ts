import type { Herald } from '@herald/testing/herald'
import { givenTenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'
import { webhooks } from '@herald/node'
import type { Project } from './project.ts'
import { startReceiver } from './receiver.ts'

/** What `receive` gives when a receiver does what the guide says. */
export const asPromised = {
  toHerald: 204,
  toOtherSignatures: { otherBody: 400, otherSecret: 400, none: 400, old: 400 },
  // Herald delivers at least once: a repeat is taken like the first, and its events have the same ids.
  toRepeats: [204, 204],
  toLarge: 204,
  timesPrinted: 4,
}

/**
 * Starts a project's receiver, which prints the user and the code of a failed push, and lets Herald post one to it. Posts that delivery again: with
 * wrong signatures, twice as it was, in a large one. Gives the answers.
 */
export async function receive(herald: Herald, project: Project, command: string): Promise<typeof asPromised> {
  const tenant = await givenTenant(herald)
  const hook = `http://127.0.0.1:${project.port}/hooks/herald`
  const post = async (body: string, header: string) => {
    const headers = { 'content-type': 'application/json', 'x-service-signature': header }
    return (await fetch(hook, { method: 'POST', body, headers, signal: AbortSignal.timeout(30_000) })).status
  }
  const { url, received } = await startReceiver(post)
  const { body: endpoint } = await tenant.admin<{ secret: string }>('POST', '/webhooks', { url, eventTypes: ['notification.failed'] })
  const { secret } = endpoint
  const printed = await project.start(command, { HERALD_WEBHOOK_SECRET: secret })
  const timesPrinted = () => printed().split('customer-7 not_configured').length - 1

  // A push of an app without credentials of Firebase fails.
  await tenant.admin('DELETE', '/providers/fcm')
  const [device] = await tenant.makeDevices('android', 1)
  if (device) await tenant.register(device, { externalId: 'customer-7' })
  const content = { _default: 'en', en: { title: 'Shipped', body: 'It arrives today' } }
  await tenant.call('POST', '/v1/notifications', { target: { externalIds: ['customer-7'] }, content })
  const { body, header, status, events } = await until(() => received[0], { what: 'the delivery' })
  const toOtherSignatures = {
    otherBody: await post(`${body} `, header),
    otherSecret: await post(body, await webhooks.sign(body, 'whsec_other')),
    none: await post(body, ''),
    old: await post(body, await webhooks.sign(body, secret, new Date(Date.now() - 400_000))),
  }
  const toRepeats = [await post(body, header), await post(body, header)]
  // More than 100 kB, which is as much as Express and Nest take by themselves.
  const newer = { type: 'notification.of_a_newer_herald', data: 'x'.repeat(200_000) }
  const large = JSON.stringify({ id: 'dlv_large', events: [...events, newer] })
  const toLarge = await post(large, await webhooks.sign(large, secret))
  await until(() => timesPrinted() >= asPromised.timesPrinted, { what: 'all deliveries are printed', withinMs: 10_000 }).catch(
    () => undefined,
  )
  return { toHerald: status, toOtherSignatures, toRepeats, toLarge, timesPrinted: timesPrinted() }
}
