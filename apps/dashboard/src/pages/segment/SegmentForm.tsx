import type { SegmentDefinition } from '@herald/contracts/segment-definition'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { components } from '../../api/schema.gen.ts'
import { api, client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { useShortcut } from '../../shell/useShortcut.ts'
import { announce } from '../../ui/Announcer.tsx'
import { applyFault } from '../../ui/applyFault.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormErrors } from '../../ui/FormErrors.tsx'
import { Page } from '../../ui/Page.tsx'
import { Estimate } from '../../ui/segment/Estimate.tsx'
import { SegmentBuilder } from '../../ui/segment/SegmentBuilder.tsx'
import { TextArea, TextInput } from '../../ui/TextInput.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'
import { SegmentUse } from './SegmentUse.tsx'
import type { SegmentDetail } from '../../ui/segment/useSegmentTree.ts'

type SavedSegment = components['schemas']['SavedSegment']
type Texts = { name: string; description: string }

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Makes a segment, or changes a saved one. */
export function SegmentForm({ appId, saved }: { appId: string; saved: SavedSegment | undefined }) {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const [kept, setKept] = useState({ name: saved?.name ?? '', description: saved?.description ?? '', definition: saved?.definition ?? {} })
  const { register, handleSubmit, setError, formState, watch } = useForm<Texts>({ defaultValues: kept })
  const [definition, setDefinition] = useState<SegmentDefinition>(kept.definition)
  const [problem, setProblem] = useState<SegmentDetail>()
  const [details, setDetails] = useState<SegmentDetail[]>([])
  const [fault, setFault] = useState<unknown>()
  const [isSaving, setIsSaving] = useState(false)
  const [isDeleting, setIsDeleting] = useState(false)
  const texts = watch()
  const isChanged = !isSame({ name: texts.name, description: texts.description, definition }, kept)

  async function save({ name, description }: Texts): Promise<void> {
    if (isSaving) return
    setIsSaving(true)
    setFault(undefined)
    setDetails([])
    const body = {
      name,
      description: description.trim() === '' ? null : description,
      definition: definition as components['schemas']['Segment'],
    }
    try {
      const answer =
        saved === undefined
          ? await client.POST('/v1/admin/apps/{appId}/segments', { params: { path: { appId } }, body })
          : await client.PUT('/v1/admin/apps/{appId}/segments/{id}', { params: { path: { appId, id: saved.id } }, body })
      const now = dataOf(answer)
      setKept({ name, description, definition })
      announce(`“${name}” is saved.`, 'good')
      cache.setQueryData(
        api.queryOptions('get', '/v1/admin/apps/{appId}/segments/{id}', { params: { path: { appId, id: now.id } } }).queryKey,
        now,
      )
      await cache.invalidateQueries({ queryKey: ['segments', appId] })
      if (saved === undefined) {
        await navigate({ to: '/apps/$appId/segments/$segmentId', params: { appId, segmentId: now.id }, replace: true, ignoreBlocker: true })
      }
    } catch (error) {
      take(error)
    } finally {
      setIsSaving(false)
    }
  }

  /** Shows a refused save. Mistakes in the name and the description are shown at their fields, all others at the conditions. */
  function take(error: unknown): void {
    const { code, status } = faultOf(error)
    if (code === 'duplicate_name') {
      setError('name', { message: 'Another segment of this app has this name. Choose another one.' }, { shouldFocus: true })
      return
    }
    if (status !== 422) {
      setFault(error)
      return
    }
    setDetails(applyFault(setError, error, ['name', 'description']))
  }

  const submit = handleSubmit(save)
  useShortcut('mod+enter', () => void submit(), 'Save the segment')

  return (
    <Page
      title={saved === undefined ? 'New segment' : saved.name}
      lead="Define the audience by device, user and tags. The estimate updates as you edit."
      guide="segments"
      actions={
        saved !== undefined && (
          <Button needed="send" variant="secondary" onClick={() => setIsDeleting(true)}>
            Delete
          </Button>
        )
      }
    >
      <form onSubmit={(event) => void submit(event)} noValidate className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <FormErrors details={details} />
          {fault !== undefined && <ErrorNote error={fault} />}
          <Card>
            <div className="flex flex-col gap-4">
              <Field label="Name" required error={formState.errors.name?.message} hint="Up to 120 characters, unique in this app">
                {(control) => (
                  <TextInput
                    {...control}
                    {...register('name', { required: 'Give the segment a name.' })}
                    maxLength={120}
                    autoComplete="off"
                  />
                )}
              </Field>
              <Field label="Description" error={formState.errors.description?.message} hint="For your colleagues; may be left empty">
                {(control) => <TextArea {...control} {...register('description')} rows={2} maxLength={500} />}
              </Field>
            </div>
          </Card>
          <Card title="Conditions">
            <SegmentBuilder
              appId={appId}
              value={definition}
              details={details}
              onChange={(next, first) => {
                setDefinition(next)
                setProblem(first)
              }}
            />
          </Card>
          <div className="flex flex-wrap items-center gap-3">
            <Button needed="send" type="submit" variant="primary" busy={isSaving} disabled={!isChanged && saved !== undefined}>
              {saved === undefined ? 'Save the segment' : 'Save the changes'}
            </Button>
            <span className="text-muted text-sm" role="status">
              {problem !== undefined ? 'A condition is not complete yet.' : saved !== undefined && !isChanged ? 'All changes saved' : ''}
            </span>
          </div>
        </div>
        <aside className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-4" aria-label="What the segment means">
          <Card title="Estimated reach now">
            <Estimate appId={appId} target={{ segment: definition }} />
          </Card>
          {saved !== undefined && <SegmentUse appId={appId} segment={saved} />}
        </aside>
      </form>
      <LeaveGuard isChanged={isChanged && !isSaving} />
      {saved !== undefined && (
        <Confirm
          open={isDeleting}
          onClose={() => setIsDeleting(false)}
          title={`Delete “${saved.name}”?`}
          action="Delete the segment"
          danger
          onConfirm={async () => {
            await client.DELETE('/v1/admin/apps/{appId}/segments/{id}', { params: { path: { appId, id: saved.id } } })
            await cache.invalidateQueries({ queryKey: ['segments', appId] })
            await navigate({ to: '/apps/$appId/segments', params: { appId }, ignoreBlocker: true })
            announce(`“${saved.name}” is deleted.`, 'good')
          }}
        >
          Scheduled and recurring campaigns still go out, with the conditions that the segment had when they were scheduled. A draft that
          uses the segment needs another audience.
        </Confirm>
      )}
    </Page>
  )
}
