import { useLocation, useNavigate } from 'react-router'

/**
 * The record that the address opens beside its list: `?detail=12`, other parameters as they are.
 */
export function useDetail(): {
  readonly id: string | null
  readonly to: (id: string | number) => string
  readonly open: (id: string | number) => void
  readonly close: () => void
} {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const path = (id: string | number | null) => {
    const params = new URLSearchParams(search)
    if (id === null) params.delete('detail')
    else params.set('detail', String(id))
    const text = params.toString()
    return text ? `${pathname}?${text}` : pathname
  }
  const go = (id: string | number | null) => void navigate(path(id))
  return {
    id: new URLSearchParams(search).get('detail'),
    to: path,
    open: go,
    close: () => go(null),
  }
}
