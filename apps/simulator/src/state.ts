import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { accountFromJson, accountToJson, type Account, type Accounts } from './accounts.ts'
import { kinds, uninstall, type Devices } from './devices.ts'
import type { Device } from './device-kind.ts'

type Line =
  | { account: ReturnType<typeof accountToJson> }
  | { device: DeviceJson }
  // A line that says what became of a device after it was made. `told` is the id of the device.
  | { told: string; subscriptionId?: string; gone?: true }
type DeviceJson = { platform: Device['platform'] } & Record<string, string | undefined>

export type State = {
  saveAccount: (account: Account) => void
  saveDevices: (devices: readonly Device[]) => void
  saveFate: (id: string, fate: { subscriptionId: string } | { gone: true }) => void
}

/**
 * Restores accounts and devices from the file `path`, and gives functions that append a JSON line for each new one. Herald knows the devices' tokens,
 * so a demo needs them after a restart. Without a path nothing is stored.
 */
export function openState(path: string | undefined, accounts: Accounts, devices: Devices): State {
  if (path === undefined) return { saveAccount: () => undefined, saveDevices: () => undefined, saveFate: () => undefined }
  if (existsSync(path)) for (const text of readFileSync(path, 'utf8').split('\n')) restore(text)

  function restore(text: string): void {
    // When the process was killed while it wrote, its last line may be incomplete.
    if (!text.startsWith('{') || !text.endsWith('}')) return
    const line = JSON.parse(text) as Line
    if ('account' in line) accounts.add(accountFromJson(line.account))
    else if ('device' in line) {
      const { name, reportTo = '' } = line.device
      const device = devices.add(kinds[line.device.platform].fromJson(line.device))
      if (name !== undefined) device.hand = { name, reportTo }
    } else {
      const device = devices.byId(line.told)
      if (device && line.subscriptionId !== undefined) device.subscriptionId = line.subscriptionId
      if (device && line.gone) uninstall(device)
    }
  }

  const append = (lines: Line[]) => appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 })
  return {
    saveAccount: (account) => append([{ account: accountToJson(account) }]),
    saveDevices: (added) =>
      append(added.map((device) => ({ device: { platform: device.platform, ...kinds[device.platform].toJson(device), ...device.hand } }))),
    saveFate: (id, fate) => append([{ told: id, ...fate }]),
  }
}
