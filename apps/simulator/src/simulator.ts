import { readFileSync } from 'node:fs'
import { openAccounts } from './accounts.ts'
import { apnsUnavailable, openApns, openProviderTokens } from './apns/service.ts'
import type { Config } from './config.ts'
import { listenForControl } from './control.ts'
import { openCrowd } from './crowd.ts'
import { openHands } from './hands.ts'
import { openDevices } from './devices.ts'
import { openFaults, type Service } from './faults.ts'
import { fcmUnavailable, openFcm } from './fcm/service.ts'
import { openQuota } from './fcm/quota.ts'
import { listen } from './listener.ts'
import { oauthUnavailable, openAccessTokens, openOauth } from './fcm/oauth.ts'
import { openRecord } from './record.ts'
import type { Answer, Serve } from './request.ts'
import { openState } from './state.ts'
import { openWebPush, webPushUnavailable } from './web-push/service.ts'
import type { ServiceListener } from './control-hand.ts'
import type { Environment } from './device-kind.ts'

/** The base URLs of the simulated providers and of the control API, and the URL at which FCM's access tokens are issued. */
export type Addresses = Record<'apns' | 'apnsSandbox' | 'fcm' | 'fcmToken' | 'webPush' | 'control', string>

export type Simulator = { addresses: Addresses; stop: () => void }

/** How many streams a client may have open at once on one connection. The real providers announce the same numbers. */
const streams = { apns: 1000, fcm: 100, other: 100 }

/**
 * Starts the simulated providers and the control API on 127.0.0.1, or on every IPv4 address when `host` is not localhost. Throws when a file cannot be
 * read or a port is taken.
 */
export async function startSimulator(config: Config): Promise<Simulator> {
  const [certificate, privateKey] = [readFileSync(config.certificatePath, 'utf8'), readFileSync(config.privateKeyPath, 'utf8')]
  const accounts = openAccounts()
  const devices = openDevices()
  const state = openState(config.statePath, accounts, devices)
  const recording = openRecord(devices)
  const faults = openFaults()
  const quota = openQuota()
  const providerTokens = openProviderTokens(accounts)
  const accessTokens = openAccessTokens(accounts)
  const crowd = openCrowd(devices, recording)
  const hands = openHands(devices, recording, config.reportTo)
  const bindTo = config.host === 'localhost' ? '127.0.0.1' : '0.0.0.0'
  // Assertions and VAPID headers name the address that they are meant for. The address is known only when the port is known.
  let tokenUri = ''
  let webPushOrigin = ''

  const apns = (environment: Environment) => openApns(environment, accounts, devices, providerTokens, recording)
  const serve = async (
    service: Service,
    port: number,
    protocols: ('h2' | 'http/1.1')[],
    maxConcurrentStreams: number,
    answer: Serve,
    unavailable: Answer,
  ): Promise<ServiceListener> => ({
    service,
    ...(await listen({
      service,
      port,
      bindTo,
      certificate,
      privateKey,
      protocols,
      maxConcurrentStreams,
      serve: answer,
      unavailable,
      faults: () => faults.of(service),
      onRefused: ({ status, reason }) => recording.refuse(service, status, reason),
    })),
  })

  const { host, ports } = config
  const both: ('h2' | 'http/1.1')[] = ['h2', 'http/1.1']
  const listeners: Record<'apns' | 'apnsSandbox' | 'fcm' | 'oauth' | 'webPush', ServiceListener> = {
    apns: await serve('apns', ports.apns, ['h2'], streams.apns, apns('production'), apnsUnavailable),
    apnsSandbox: await serve('apns', ports.apnsSandbox, ['h2'], streams.apns, apns('sandbox'), apnsUnavailable),
    fcm: await serve('fcm', ports.fcm, both, streams.fcm, openFcm(accounts, devices, accessTokens, recording, quota), fcmUnavailable),
    oauth: await serve(
      'oauth',
      ports.oauth,
      both,
      streams.other,
      openOauth(accounts, accessTokens, () => tokenUri),
      oauthUnavailable,
    ),
    webPush: await serve(
      'web-push',
      ports.webPush,
      both,
      streams.other,
      openWebPush(devices, recording, () => webPushOrigin),
      webPushUnavailable,
    ),
  }
  tokenUri = `https://${host}:${listeners.oauth.port}/token`
  webPushOrigin = `https://${host}:${listeners.webPush.port}`
  const control = await listenForControl(
    { port: ports.control, bindTo, host, token: config.controlToken },
    {
      accounts,
      devices,
      state,
      recording,
      faults,
      quota,
      providerTokens,
      accessTokens,
      crowd,
      listeners,
      tokenUri,
      webPushOrigin,
    },
  )

  return {
    addresses: {
      apns: `https://${host}:${listeners.apns.port}`,
      apnsSandbox: `https://${host}:${listeners.apnsSandbox.port}`,
      fcm: `https://${host}:${listeners.fcm.port}`,
      fcmToken: tokenUri,
      webPush: webPushOrigin,
      control: `http://${host === 'localhost' ? '127.0.0.1' : host}:${control.port}`,
    },
    stop: () => {
      crowd.setReports(undefined)
      hands.close()
      control.close()
      for (const listener of Object.values(listeners)) listener.close()
    },
  }
}
