import { failed } from './herald-error.ts'

/**
 * Subscribes at the push service. Nothing is awaited before: Safari asks only while the click lasts. A subscription of another sender, or
 * with an older key, makes room for ours.
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

/** The registration once its worker is active: a subscription needs more than one that is installed. */
export async function untilActive(registration: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> {
  while (!registration.active) {
    if (!registration.installing && !registration.waiting) throw new Error('redundant')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return registration
}
