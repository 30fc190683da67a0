import { useState, type ReactNode } from 'react'
import { checkProvider, type Checked } from '../../api/check-provider.ts'
import { client } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { queryClient } from '../../api/queryClient.ts'
import { some } from '../../core/spans.ts'
import type { components } from '../../api/schema.gen.ts'
import { useAppId } from '../../session/useAppId.ts'
import { useSystem } from '../../session/useSystem.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { FactList } from '../../ui/FactList.tsx'
import { Loaded, type Loading } from '../../ui/Loaded.tsx'
import { Status } from '../../ui/Status.tsx'
import { Time } from '../../ui/Time.tsx'
import { CheckResult } from './SaveAndCheck.tsx'
import { Circuits } from './Circuits.tsx'
import { kinds, type Kind } from './kinds.ts'

type Circuit = components['schemas']['Circuit']

/** Shows a provider of the app: its credentials without their secret, its circuits, and a button that checks the credentials. */
export function ProviderCard({
  kind,
  query,
  facts,
  warning,
  onSet,
}: {
  kind: Kind
  query: Loading<{ circuits: Circuit[]; former: { replacedAt: string } | null }>
  /** The parts of the credentials that are not secret, by their labels. */
  facts: Readonly<Record<string, string | undefined>>
  warning?: string | undefined
  onSet: () => void
}) {
  const { name } = kinds[kind]
  const isMissing = query.isError && faultOf(query.error).status === 404
  const again = (): void => void query.refetch()
  const title = (
    <span className="flex flex-wrap items-center gap-2">
      {name} <span className="font-normal text-muted">{kinds[kind].for}</span>
      {isMissing && <Status kind="off">Not set</Status>}
    </span>
  )
  if (isMissing)
    return (
      <Card title={title}>
        <Missing kind={kind} onSet={onSet} onTaken={again} />
      </Card>
    )
  return (
    <Card
      title={title}
      actions={
        query.data !== undefined && (
          <Actions kind={kind} circuits={query.data.circuits} former={query.data.former} onSet={onSet} onChanged={again} />
        )
      }
    >
      <Loaded query={query}>
        {({ circuits }) => (
          <div className="flex flex-col gap-4">
            <FactList
              items={Object.entries(facts).map(([label, text = '']) => ({
                label,
                value: <CopyText text={text} label={label.toLowerCase()} />,
              }))}
            />
            {warning !== undefined && <Banner kind="warning">{warning}</Banner>}
            <Circuits kind={kind} circuits={circuits} onProbed={again} />
            <CheckNow kind={kind} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function Missing({ kind, onSet, onTaken }: { kind: Kind; onSet: () => void; onTaken: () => void }) {
  const appId = useAppId()
  const system = useSystem()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const take = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await client.POST('/v1/admin/simulator/accounts', { body: { appId, kind } })
      announce('The simulated account is set')
      onTaken()
    } catch (fault) {
      setError(fault)
    }
    setBusy(false)
  }
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">
        Pushes to {kinds[kind].for} fail with <code className="font-mono text-xs">not_configured</code> until credentials are set:{' '}
        {kinds[kind].file}.
      </p>
      {error !== undefined && <ErrorNote error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button needed="settings" variant="primary" onClick={onSet}>
          Set {kinds[kind].name}
        </Button>
        {system.data?.simulator === true && (
          <Button needed="platform" busy={busy} onClick={() => void take()}>
            Use the simulated account
          </Button>
        )}
      </div>
    </div>
  )
}

function Actions({
  kind,
  circuits,
  former,
  onSet,
  onChanged,
}: {
  kind: Kind
  circuits: readonly Circuit[]
  former: { replacedAt: string } | null
  onSet: () => void
  onChanged: () => void
}): ReactNode {
  const appId = useAppId()
  const [isRemoving, setRemoving] = useState(false)
  const held = circuits.reduce((sum, { heldCount }) => sum + heldCount, 0)
  const path = `/v1/admin/apps/{appId}/providers/${kind}` as const
  const remove = async (): Promise<void> => {
    await client.DELETE(path, { params: { path: { appId } } })
    await queryClient.resetQueries({ queryKey: ['get', path] })
    announce(`The credentials for ${kinds[kind].name} are removed`)
    onChanged()
  }
  return (
    <>
      <Button needed="settings" small onClick={onSet}>
        Replace
      </Button>
      {former !== null && <RollBack kind={kind} replacedAt={former.replacedAt} onDone={onChanged} />}
      <Button needed="settings" small variant="quiet" onClick={() => setRemoving(true)}>
        Remove
      </Button>
      <Confirm
        open={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Remove the credentials for ${kinds[kind].name}?`}
        action="Remove"
        danger
        onConfirm={remove}
      >
        {held > 0 && (
          <div className="mb-3">
            <Banner
              kind="bad"
              action={
                <Button
                  small
                  onClick={() => {
                    setRemoving(false)
                    onSet()
                  }}
                >
                  Replace instead
                </Button>
              }
            >
              {some(held, 'push is', 'pushes are')} on hold and would fail for good. With new credentials they are sent.
            </Banner>
          </div>
        )}
        Pushes to {kinds[kind].for} fail with not_configured from then on. The former credentials go too. Herald cannot show the private key
        again: keep it elsewhere if you need it.
        {kind === 'webpush' && ' With new keys every browser would have to subscribe again.'}
      </Confirm>
    </>
  )
}

/** A button that brings back the credentials that were replaced last. Those in use are kept, so that a second rollback brings them back. */
function RollBack({ kind, replacedAt, onDone }: { kind: Kind; replacedAt: string; onDone: () => void }) {
  const appId = useAppId()
  const [isAsking, setAsking] = useState(false)
  const rollBack = async (): Promise<void> => {
    await client.POST(`/v1/admin/apps/{appId}/providers/${kind}/rollback` as const, { params: { path: { appId } } })
    announce(`The former credentials for ${kinds[kind].name} are back`)
    onDone()
  }
  return (
    <>
      <Button needed="settings" small variant="quiet" onClick={() => setAsking(true)}>
        Roll back
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={`Bring back the former credentials for ${kinds[kind].name}?`}
        action="Roll back"
        onConfirm={rollBack}
      >
        They were replaced <Time at={replacedAt} />. They are not checked first. Those in use now are kept, and another rollback brings them
        back.
        {kind === 'webpush' && ' With another key pair every browser has to subscribe again.'}
      </Confirm>
    </>
  )
}

function CheckNow({ kind }: { kind: Kind }) {
  const appId = useAppId()
  const [state, setState] = useState<{ busy: boolean; checked?: Checked; at?: number; error?: unknown }>({ busy: false })
  const check = async (): Promise<void> => {
    setState({ busy: true })
    try {
      setState({ busy: false, checked: await checkProvider(appId, kind), at: Date.now() })
    } catch (error) {
      setState({ busy: false, error })
    }
  }
  return (
    <div className="flex flex-col gap-2" aria-live="polite">
      {state.checked !== undefined && <CheckResult kind={kind} checked={state.checked} at={state.at} />}
      {state.error !== undefined && <ErrorNote error={state.error} />}
      <div>
        <Button needed="settings" small busy={state.busy} onClick={() => void check()}>
          {state.busy ? `Asking ${kinds[kind].name}` : 'Check now'}
        </Button>
      </div>
    </div>
  )
}
