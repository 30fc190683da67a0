import type { Device, Tenant } from '@herald/testing/tenant'
import { until } from '@herald/testing/until'

/** Registers devices from inside the stack, a thousand at a time. A thousand of which some failed, as on a busy machine, is registered again. */
export async function registerInside(tenant: Tenant, devices: Device[]): Promise<void> {
  for (let from = 0; from < devices.length; from += 1_000) {
    const crowd = {
      baseUrl: 'http://gateway:8080',
      appKey: tenant.publicKey,
      devices: devices.slice(from, from + 1_000).map(({ id }) => id),
      concurrency: 32,
    }
    await until(async () => (await tenant.simulator<{ failed: number }>('POST', '/crowd', crowd)).failed === 0, {
      withinMs: 120_000,
      what: 'devices are registered',
    })
  }
}
