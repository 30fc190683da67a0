import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')
const built = join(root, 'dist/services')

/** The arguments with which Node runs a service in a process of its own, from the program that `npm start` runs too. */
export const serverArgs = (service: string): string[] => [join(built, 'server.mjs'), '--service', service]
export const simulatorProgram = join(built, 'simulator.mjs')

/** Builds the programs of the services and the simulator when their sources have changed. To be called before test files run. */
export function buildServices(): void {
  execFileSync(process.execPath, ['tools/src/build-pages.ts', 'services'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
