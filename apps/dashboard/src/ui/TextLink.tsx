import { createLink } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

function TextAnchor({ className, children, ...rest }: ComponentProps<'a'>) {
  return (
    <a className={clsx('text-accent underline decoration-transparent underline-offset-2 hover:decoration-current', className)} {...rest}>
      {children}
    </a>
  )
}

/** A link to another page of the dashboard, in text or in a table. */
export const TextLink = createLink(TextAnchor)
