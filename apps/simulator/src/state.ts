import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { accountFromJson, accountToJson, type Account, type Accounts } from './accounts.ts'
import { kinds, uninstall, type Device, type Devices } from './devices.ts'

type Line =
  | { account: ReturnType<typeof accountToJson> }
  | { device: DeviceJson }
  // What became of a device since: its place among all devices is its name.
  | { told: string; subscriptionId?: string; gone?: true }
type DeviceJson = { platform: Device['platform'] } & Record<string, string | undefined>

export type State = {
  saveAccount: (account: Account) => void
  saveDevices: (devices: readonly Device[]) => void
  saveFate: (id: string, fate: { subscriptionId: string } | { gone: true }) => void
}

/**
 * Read accounts and devices back from `path`, a file of JSON lines, and add later ones to it; without a path nothing is kept. So a demo's devices survive a restart:
 * nobody could tell browsers and phones their new keys. The private keys in it belong to simulated devices; the file is for the owner only all the same.
 */
export function openState(path: string | undefined, accounts: Accounts, devices: Devices): State {
  if (path === undefined) return { saveAccount: () => undefined, saveDevices: () => undefined, saveFate: () => undefined }
  if (existsSync(path)) for (const text of readFileSync(path, 'utf8').split('\n')) restore(text)

  function restore(text: string): void {
    // The last line is cut off when the process was killed while it wrote.
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
