// Runs node-pushnotifications as its README shows: the second peer, another push server, of `npm run bench -- --peer`. It has no storage and no
// server: the bench gives it the devices once, and each later message makes it send to all of them.
import { readFileSync } from 'node:fs'
import { Agent, globalAgent } from 'node:https'
import PushNotifications from 'node-pushnotifications'

process.on('disconnect', () => process.exit(0))

process.once('message', ({ apns, serviceAccount, vapid, authorities, devices, title, body }) => {
  const ca = readFileSync(authorities)
  globalAgent.options.ca = ca
  const { keyId, teamId, privateKey, bundleId } = apns
  const push = new PushNotifications({
    isAlwaysUseFCM: false,
    apn: { token: { key: privateKey, keyId, teamId }, production: true, address: '127.0.0.1', port: apns.port, ca, requestTimeout: 60_000 },
    fcm: { appName: 'bench', serviceAccountKey: serviceAccount },
    web: {
      vapidDetails: { subject: 'mailto:bench@example.org', publicKey: vapid.publicKey, privateKey: vapid.privateKey },
      TTL: 3_600,
      agent: new Agent({ keepAlive: true, maxSockets: 64, ca }),
    },
  })
  const addresses = devices.map(({ platform, token, endpoint, keys }) => (platform === 'web' ? { endpoint, keys } : token))

  const sendToAll = async () => {
    const results = await push.send(addresses, { topic: bundleId, title, body, custom: { order: '17' }, priority: 'high' })
    const sum = (name) => results.reduce((total, result) => total + result[name], 0)
    const reason = results.flatMap(({ message }) => message).find(({ error }) => error)
    return { sent: sum('success'), failed: sum('failure'), reason: reason && String(reason.errorMsg ?? reason.error).slice(0, 200) }
  }
  process.on('message', () => {
    const failed = (error) => ({ sent: 0, failed: 0, reason: String(error?.message ?? error).slice(0, 200) })
    void sendToAll().then(
      (said) => process.send(said),
      (error) => process.send(failed(error)),
    )
  })
  process.send({ ready: true })
})
