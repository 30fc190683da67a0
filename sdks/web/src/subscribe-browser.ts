import { failed } from './herald-error.ts'

/**
 * Subscribes at the push service. Nothing is awaited before, because Safari asks only during the click. A subscription of another sender, or
 * with an older key, is ended first.
 */
export async function subscribeBrowser(manager: PushManager, key: string): Promise<PushSubscription> {
  try {
    return await manager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  } catch (error) {
    const { name } = error as Error
    if (name === 'InvalidStateError' && (await (await manager.getSubscription())?.unsubscribe())) return subscribeBrowser(manager, key)
    if (name !== 'NotAllowedError') throw failed('push_service_failed')
    throw failed(Notification.permission === 'denied' ? 'permission_denied' : 'permission_dismissed')
  }
}

/** Gives the registration once its worker is active: an installed worker is not enough for a subscription. */
export async function untilActive(registration: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> {
  while (!registration.active) {
    if (!registration.installing && !registration.waiting) throw new Error('redundant')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return registration
}
