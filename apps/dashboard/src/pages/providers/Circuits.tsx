import { useState } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { components } from '../../api/schema.gen.ts'
import { remedyOf } from '@herald/contracts/remedies'
import { useAppId } from '../../session/useAppId.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Count } from '../../ui/Count.tsx'
import { Status } from '../../ui/Status.tsx'
import { Time } from '../../ui/Time.tsx'
import { kinds, type Kind } from './kinds.ts'

type Circuit = components['schemas']['Circuit']

/** Shows the circuits of a provider. A closed circuit lets pushes through; an open one holds them. */
export function Circuits({ kind, circuits, onProbed }: { kind: Kind; circuits: readonly Circuit[]; onProbed: () => void }) {
  const open = circuits.filter(({ state }) => state === 'open')
  if (open.length === 0)
    return (
      <p>
        <Status kind="good">Ready</Status> Nothing is on hold.
      </p>
    )
  return (
    <>
      {open.map((circuit) => (
        <OpenCircuit key={`${circuit.platform} ${circuit.environment}`} kind={kind} circuit={circuit} onProbed={onProbed} />
      ))}
    </>
  )
}

function OpenCircuit({ kind, circuit, onProbed }: { kind: Kind; circuit: Circuit; onProbed: () => void }) {
  const appId = useAppId()
  const [busy, setBusy] = useState(false)
  const { name } = kinds[kind]
  const probe = async (): Promise<void> => {
    setBusy(true)
    try {
      const path = `/v1/admin/apps/{appId}/providers/${kind}/probe` as const
      const { open } = dataOf(await client.POST(path, { params: { path: { appId } } }))
      announce(open === 0 ? `${name} accepts pushes again` : `Checking ${name}`, 'info')
      onProbed()
    } catch (error) {
      announce(faultOf(error).message, 'bad')
    }
    setBusy(false)
  }
  const remedy = circuit.code === null ? null : remedyOf(kind, circuit.code, null)
  return (
    <Banner kind="bad">
      <p className="font-medium">
        {name}
        {circuit.environment === '' ? '' : ` (${circuit.environment})`} is not accepting pushes:{' '}
        <code className="font-mono text-xs">{circuit.code ?? 'reason unknown'}</code>
      </p>
      <p className="mt-1">
        <Count value={circuit.heldCount} /> {circuit.heldCount === 1 ? 'push' : 'pushes'} on hold; no one was unsubscribed. Since{' '}
        <Time at={circuit.since} />
        {circuit.probeAt !== null && (
          <>
            , next retry <Time at={circuit.probeAt} precise />
          </>
        )}
        .
      </p>
      {remedy !== null && <p className="mt-1">{remedy}</p>}
      <Button needed="settings" small busy={busy} onClick={() => void probe()} className="mt-2">
        Try {name} now
      </Button>
    </Banner>
  )
}
