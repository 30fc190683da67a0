import { cva } from 'class-variance-authority'
import { LoaderCircle } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { May, type Needed } from '../session/May.tsx'

/** Gives the CSS classes of a button, also for a link that looks like a button. */
export const buttonClass = cva(
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap select-none transition-colors disabled:opacity-55 disabled:cursor-not-allowed aria-disabled:opacity-55',
  {
    variants: {
      variant: {
        primary: 'border-transparent bg-accent text-on-accent hover:bg-accent-hover',
        secondary: 'border-line bg-surface text-ink shadow-xs hover:bg-hover',
        quiet: 'border-transparent bg-transparent text-ink hover:bg-hover',
        danger: 'border-transparent bg-bad text-on-bad hover:opacity-90',
      },
      small: { true: 'h-7 px-2 text-sm', false: 'h-8 px-3 text-base' },
    },
    defaultVariants: { variant: 'secondary', small: false },
  },
)

/** A button. `busy`: its action is under way; a second press does nothing. `needed`: it is shown to sessions that may do this. */
export function Button({ needed, ...rest }: ComponentProps<typeof PlainButton> & { needed?: Needed | undefined }) {
  return needed === undefined ? (
    <PlainButton {...rest} />
  ) : (
    <May needed={needed}>
      <PlainButton {...rest} />
    </May>
  )
}

function PlainButton({
  variant,
  small,
  busy,
  icon,
  className,
  children,
  type = 'button',
  disabled,
  ...rest
}: ComponentProps<'button'> & {
  variant?: 'primary' | 'secondary' | 'quiet' | 'danger' | undefined
  small?: boolean | undefined
  busy?: boolean | undefined
  icon?: ReactNode
}) {
  return (
    <button
      type={type}
      disabled={disabled === true || busy === true}
      aria-busy={busy === true ? true : undefined}
      className={buttonClass({ variant, small, className })}
      {...rest}
    >
      {busy === true ? <LoaderCircle size={14} className="animate-spin" aria-hidden /> : icon}
      {children}
    </button>
  )
}
