import { Command } from 'cmdk'
import { Check, ChevronsUpDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useEffect, useState } from 'react'
import { faultOf } from '../api/fault.ts'
import { useLayer } from './layers.ts'
import { inputClass } from './TextInput.tsx'

export type ComboboxOption = { value: string; label: string; hint?: string | undefined }

/**
 * Lets the operator choose one of many values by typing. `options` are filtered in the page. `load` asks the server 200 ms after the last key;
 * answers to earlier texts are dropped.
 */
export function Combobox({
  label,
  value,
  valueLabel,
  onChange,
  options,
  load,
  placeholder = 'Choose',
  id,
}: {
  label: string
  value: string | undefined
  /** The name of the chosen value, for when it is not among the loaded options. */
  valueLabel?: string | undefined
  onChange: (value: string, option: ComboboxOption) => void
  options?: readonly ComboboxOption[] | undefined
  load?: ((query: string, signal: AbortSignal) => Promise<readonly ComboboxOption[]>) | undefined
  placeholder?: string | undefined
  id?: string | undefined
}) {
  const layer = useLayer()
  const [isOpen, setOpen] = useState(false)
  const [query, setQuery] = useState('')
  const { found, problem } = useFound(isOpen, query, load)
  const all = options ?? found ?? []
  const chosen = all.find((option) => option.value === value)?.label ?? valueLabel ?? value

  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          role="combobox"
          id={id}
          aria-label={chosen === undefined ? label : `${label}: ${chosen}`}
          aria-expanded={isOpen}
          className={`${inputClass} flex h-8 items-center justify-between gap-2 text-left`}
        >
          <span className={chosen === undefined ? 'truncate text-muted' : 'truncate'}>{chosen ?? placeholder}</span>
          <ChevronsUpDown size={14} className="shrink-0 text-muted" aria-hidden />
        </button>
      </Popover.Trigger>
      <Popover.Portal container={layer}>
        <Popover.Content
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="z-40 w-(--radix-popover-trigger-width) min-w-56 rounded-lg border border-line bg-surface shadow-xl"
        >
          <Command label={label} shouldFilter={load === undefined} loop>
            <Command.Input
              value={query}
              onValueChange={setQuery}
              placeholder="Type to search"
              className="w-full border-b border-line bg-transparent px-3 py-2 outline-none placeholder:text-muted"
            />
            <Command.List className="max-h-64 overflow-y-auto p-1">
              <Command.Empty className="px-2 py-3 text-muted">
                {problem ?? (load !== undefined && found === undefined ? 'Searching' : 'No results')}
              </Command.Empty>
              {all.map((option) => (
                <Command.Item
                  key={option.value}
                  value={option.value}
                  keywords={[option.label]}
                  onSelect={() => {
                    onChange(option.value, option)
                    setOpen(false)
                  }}
                  className="flex min-h-7 items-center gap-2 rounded-md px-2 py-1 data-[selected=true]:bg-hover"
                >
                  <Check size={14} className={option.value === value ? 'shrink-0' : 'invisible shrink-0'} aria-hidden />
                  <span className="min-w-0 flex-1 truncate">{option.label}</span>
                  {option.hint !== undefined && <span className="shrink-0 text-xs text-muted">{option.hint}</span>}
                </Command.Item>
              ))}
            </Command.List>
          </Command>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function useFound(
  isOpen: boolean,
  query: string,
  load: ((query: string, signal: AbortSignal) => Promise<readonly ComboboxOption[]>) | undefined,
) {
  const [answer, setAnswer] = useState<{ found?: readonly ComboboxOption[]; problem?: string }>({})
  useEffect(() => {
    if (!isOpen || load === undefined) return undefined
    const stop = new AbortController()
    const timer = setTimeout(
      () =>
        void load(query, stop.signal).then(
          (found) => !stop.signal.aborted && setAnswer({ found }),
          (error: unknown) => !stop.signal.aborted && setAnswer({ problem: faultOf(error).message }),
        ),
      200,
    )
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
    // `load` is a new function at each render but asks the same, so it is not among the dependencies.
  }, [isOpen, query])
  return { found: answer.found, problem: answer.problem }
}
