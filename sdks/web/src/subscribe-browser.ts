import { HeraldError } from './herald-error.ts'

/** The person said no, for good. */
export const blocked = (): HeraldError =>
  new HeraldError('permission_denied', 'Notifications are blocked. Only the person can allow them, in the settings of the browser.')

/**
 * Subscribes at the push service. Nothing is awaited before: Safari asks only while the click lasts. A subscription of another sender, or
 * with an older key, makes room for ours.
 */
export async function subscribeBrowser(manager: PushManager, key: string): Promise<PushSubscription> {
  const subscribe = () => manager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  try {
    return await subscribe().catch(async (error: Error) => {
      if (error.name !== 'InvalidStateError') throw error
      await (await manager.getSubscription())?.unsubscribe()
      return subscribe()
    })
  } catch (error) {
    if ((error as Error).name !== 'NotAllowedError') throw new HeraldError('push_service_failed', 'The push service of the browser failed.')
    if (Notification.permission === 'denied') throw blocked()
    throw new HeraldError('permission_dismissed', 'The person did not allow notifications.')
  }
}

/** The registration once its worker is active: a subscription needs more than one that is installed. */
export async function untilActive(registration: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> {
  const worker = registration.installing ?? registration.waiting
  if (registration.active || !worker) return registration
  return new Promise((resolve, reject) => {
    worker.onstatechange = () => {
      if (worker.state === 'activated') resolve(registration)
      if (worker.state === 'redundant') reject(new Error('redundant'))
    }
  })
}
