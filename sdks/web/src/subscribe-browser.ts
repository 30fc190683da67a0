import { failed } from './herald-error.ts'

/**
 * Subscribes the browser at its push service, before any other await, because Safari asks the user only while a click is handled. When a subscription
 * with another key exists, it ends that subscription and subscribes again.
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
