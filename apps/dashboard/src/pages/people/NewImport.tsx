import { useState, type FormEvent } from 'react'
import { client, dataOf } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { formatOf, guessColumns, headBytes, headerOf, importFormats, problemOfFile, type ImportFormat } from '../../core/import-file.ts'
import { importFields } from '../../core/import-words.ts'
import { useAppId } from '../../session/useAppId.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { FileInput } from '../../ui/TextInput.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import type { ImportReport } from './send-import.ts'

const onExisting = [
  { value: 'keep', label: 'Keep existing', hint: 'Existing devices stay unchanged' },
  { value: 'update', label: 'Overwrite', hint: 'Use the file’s values; opt-outs are kept' },
] as const

/**
 * The form of a new import. The form reads the beginning of the file and proposes the format and, for a CSV, which column holds which field. A dry
 * run is preset.
 */
export function NewImport({ onBegun, onClose }: { onBegun: (report: ImportReport, file: File) => void; onClose: () => void }) {
  const appId = useAppId()
  const [file, setFile] = useState<{ file: File; header: string[] }>()
  const [problem, setProblem] = useState<string>()
  const [format, setFormat] = useState<ImportFormat>('csv')
  const [columns, setColumns] = useState<Partial<Record<string, string>>>({})
  const [existing, setExisting] = useState<'keep' | 'update'>('keep')
  const [withWeb, setWithWeb] = useState(false)
  const [assumesOptedIn, setAssumesOptedIn] = useState(false)
  const [isDry, setDry] = useState(true)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  const take = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return
    const head = await chosen.slice(0, headBytes).text()
    const wrong = problemOfFile(chosen.name, chosen.size, head)
    setProblem(wrong)
    setError(undefined)
    if (wrong !== undefined) return setFile(undefined)
    const header = headerOf(head)
    setFile({ file: chosen, header })
    setFormat(formatOf(chosen.name, head))
    setColumns(guessColumns(Object.keys(importFields), header))
  }
  const saysNothingOfOptOuts = format === 'onesignal_csv' && file?.header.includes('notification_types') === false
  const begin = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (file === undefined) return setProblem(problem ?? 'Choose a file first.')
    setBusy(true)
    setError(undefined)
    try {
      const mapped = Object.fromEntries(
        Object.entries(columns).flatMap(([field, column]) => (column === undefined || column === '' ? [] : [[field, column] as const])),
      )
      const body = {
        format,
        dryRun: isDry,
        onExisting: existing,
        assumeOptedIn: saysNothingOfOptOuts && assumesOptedIn,
        web: withWeb ? ('import' as const) : ('skip' as const),
        ...(format === 'csv' ? { columns: mapped } : {}),
      }
      onBegun(dataOf(await client.POST('/v1/admin/apps/{appId}/imports', { params: { path: { appId } }, body })), file.file)
    } catch (fault) {
      setError(fault)
      setBusy(false)
    }
  }
  const isOpenAlready = error !== undefined && faultOf(error).code === 'invalid_state'
  return (
    <Card title="New import">
      <form onSubmit={(event) => void begin(event)} className="flex flex-col gap-4">
        <Field
          label="File"
          hint="CSV, JSON lines or OneSignal’s CSV export, unpacked, at most 4 GiB. It is read in this page and sent row by row."
          error={problem}
        >
          {(control) => (
            <FileInput {...control} accept=".csv,.jsonl,.ndjson,.txt,text/csv" onChange={(event) => void take(event.target.files?.[0])} />
          )}
        </Field>
        {file !== undefined && (
          <>
            <Choice legend="Format" value={format} onChange={setFormat} options={importFormats} />
            {format === 'csv' && <Mapping header={file.header} columns={columns} onChange={setColumns} />}
            {format === 'onesignal_csv' && (
              <p className="text-muted">
                The columns of OneSignal’s export are known: nothing has to be mapped. Address, place and spending are not read.
              </p>
            )}
            {saysNothingOfOptOuts && (
              <Checkbox
                label="All devices of this file have opted in"
                hint="The export lacks the column notification_types, which says who has opted out. Better: export it too. Without it Herald refuses the file."
                checked={assumesOptedIn}
                onChange={(event) => setAssumesOptedIn(event.target.checked)}
              />
            )}
            <Choice legend="A device that is known already" value={existing} onChange={setExisting} options={onExisting} />
            <Checkbox
              label="Import browsers too"
              hint="Only if your web push keys were moved to Herald and your site has its service worker. Ask your developers."
              checked={withWeb}
              onChange={(event) => setWithWeb(event.target.checked)}
            />
            <Checkbox
              label="Dry run first"
              hint="Reads the whole file and reports what it would import. Nothing is imported."
              checked={isDry}
              onChange={(event) => setDry(event.target.checked)}
            />
          </>
        )}
        {error !== undefined && <ErrorNote error={error} />}
        {isOpenAlready && (
          <Banner kind="info">An app has one import at a time. Go back to the list: go on with the open one, or cancel it.</Banner>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Back</Button>
          <Button type="submit" variant="primary" busy={busy} disabled={file === undefined}>
            {isDry ? 'Begin the dry run' : 'Begin the import'}
          </Button>
        </div>
      </form>
    </Card>
  )
}

function Mapping({
  header,
  columns,
  onChange,
}: {
  header: readonly string[]
  columns: Partial<Record<string, string>>
  onChange: (to: Partial<Record<string, string>>) => void
}) {
  const unread = header.filter((column) => !Object.values(columns).includes(column))
  const options = [
    { value: '', label: '(not in this file)' },
    ...header.filter((column) => column !== '').map((column) => ({ value: column, label: column })),
  ]
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">Map columns</legend>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,17rem),1fr))] gap-x-4 gap-y-2">
        {Object.entries(importFields).map(([field, words]) => (
          <Field key={field} label={<span className="font-normal">{words}</span>}>
            {(control) => (
              <Select
                {...control}
                value={columns[field] ?? ''}
                options={options}
                onChange={(event) => onChange({ ...columns, [field]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      {unread.length > 0 && <p className="mt-2 text-sm text-muted">Not read: {unread.join(', ')}</p>}
    </fieldset>
  )
}
