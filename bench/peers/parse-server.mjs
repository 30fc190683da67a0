// Runs parse-server with its push adapter, as their READMEs show, for `npm run bench -- --peer`. It gets the addresses by IPC and reports when it
// listens. The bench writes devices as rows of _Installation, and sends with POST /parse/push.
import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import PushAdapter from '@parse/push-adapter'
import express from 'express'
import { ParseServer } from 'parse-server'

process.on('disconnect', () => process.exit(0))

process.once('message', (task) => void start(task))

async function start({ databaseUrl, port, masterKey, apns, serviceAccount, vapid, authorities }) {
  const ca = readFileSync(authorities)
  const { keyId, teamId, privateKey, bundleId } = apns
  const adapter = new PushAdapter({
    ios: {
      token: { key: privateKey, keyId, teamId },
      topic: bundleId,
      production: true,
      // The address of the simulator. The time limit is raised, because otherwise node-apn gives up pushes that wait behind thousands of others.
      address: '127.0.0.1',
      port: apns.port,
      ca,
      requestTimeout: 60_000,
    },
    android: { firebaseServiceAccount: serviceAccount },
    web: {
      vapidDetails: { subject: 'mailto:bench@example.org', publicKey: vapid.publicKey, privateKey: vapid.privateKey },
      TTL: 3_600,
      // With an agent web-push reuses connections; without one it opens a connection for every push.
      agent: new Agent({ keepAlive: true, maxSockets: 64, ca }),
    },
  })
  const url = `http://127.0.0.1:${port}/parse`
  const parse = new ParseServer({
    databaseURI: databaseUrl,
    appId: 'bench',
    masterKey,
    serverURL: url,
    push: { adapter },
    masterKeyIps: ['127.0.0.1'],
    allowClientClassCreation: true,
    silent: true,
    verbose: false,
    logLevel: 'error',
    logsFolder: null,
  })
  await parse.start()
  const app = express()
  app.use('/parse', parse.app)
  app.listen(port, '127.0.0.1', () => process.send({ ready: true }))
}
