import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
} from '@tanstack/react-query'
import { useRef } from 'react'
import type { CallInput, Endpoint, Output } from '../shared/contract.ts'
import { common } from '../shared/errors.ts'
import { type ApiError, call, isApiError, messageOf, newKey } from './call.ts'
import { translate } from './i18n.ts'
import { withLoading } from './loading.ts'
import { toast } from './toast.ts'

type Meta = {
  /** The page shows the failure itself. */
  readonly inline?: boolean
  readonly success?: string | undefined
  readonly claims?: readonly string[] | ((error: ApiError) => boolean) | undefined
  readonly invalidates?: readonly string[] | undefined
}
declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiError
    queryMeta: Meta & Record<string, unknown>
    mutationMeta: Meta & Record<string, unknown>
  }
}

const claimed = (meta: Meta | undefined, error: ApiError): boolean => {
  const claims = meta?.claims
  return typeof claims === 'function'
    ? claims(error)
    : (claims ?? []).some((claim) => claim === error.error || claim === String(error.code))
}

/** What did not work, where nothing else is known: the word beside that of its success. */
const failures: Readonly<Record<string, string>> = {
  'web:success.saved': 'web:failure.saved',
  'web:success.edited': 'web:failure.edited',
}
const failureOf = (error: unknown, success: string | undefined): string => {
  const word = failures[success ?? '']
  const known = isApiError(error) && error.error !== common.unexpected.name
  return known || !word ? messageOf(error) : translate(word)
}

/** The one place that shows errors and success messages; pages show neither. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (!query.meta?.inline && !(isApiError(error) && error.kind === 'cancelled'))
        toast('error', messageOf(error))
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _input, _context, mutation) => {
      if (!isApiError(error) || (error.kind !== 'cancelled' && !claimed(mutation.meta, error)))
        toast('error', failureOf(error, mutation.meta?.success))
    },
    onSuccess: (_answer, _input, _context, mutation) => {
      if (mutation.meta?.success) toast('success', translate(mutation.meta.success))
      const prefixes = mutation.meta?.invalidates ?? []
      return queryClient.invalidateQueries({
        predicate: ({ queryKey: [path] }) =>
          typeof path === 'string' &&
          prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
      })
    },
  }),
  defaultOptions: {
    queries: {
      retry: false,
      networkMode: 'always',
      staleTime: 10_000,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/**
 * `/api/orders/{orderNum}/refund` to `/api/orders`: what a write makes stale unless it says
 * otherwise.
 */
export const firstSegment = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('/api/') ? 3 : 2)
    .join('/')

type ReadOptions = {
  enabled?: boolean
  /** Keep showing the previous answer while another input loads. */
  keep?: boolean
  /**
   * The page shows failures in place (lists and forms do); otherwise they are shown once as a
   * message.
   */
  inline?: boolean
  /** Milliseconds between refreshes. */
  every?: number | false
  staleTime?: number
}

export const readKey = (endpoint: Endpoint, input: unknown) => [endpoint.path, input] as const

export function useRead<E extends Endpoint>(
  endpoint: E,
  input: CallInput<E>,
  options: ReadOptions = {},
): UseQueryResult<Output<E>, ApiError> {
  return useQuery<Output<E>, ApiError>({
    queryKey: readKey(endpoint, input),
    queryFn: ({ signal }) => call(endpoint, input, { signal }),
    enabled: options.enabled ?? true,
    meta: { inline: options.inline ?? false },
    ...(options.keep ? { placeholderData: keepPreviousData as never } : {}),
    ...(options.every === undefined ? {} : { refetchInterval: options.every }),
    ...(options.staleTime === undefined ? {} : { staleTime: options.staleTime }),
  })
}

type WriteOptions<E extends Endpoint> = {
  /** i18n key of the message, e.g. `web:success.saved`. */
  success?: string
  /** Error names or codes the page shows on a field. */
  claims?: readonly string[] | ((error: ApiError) => boolean)
  /** Paths whose reads become stale; by default everything below the endpoint's first segment. */
  invalidates?: readonly string[]
  /** Shows the overlay: for commands a person has to wait for. */
  overlay?: boolean
  onSuccess?: (answer: Output<E>) => void
}

/**
 * Message, invalidation and error display live in the mutation itself, so they work after the tab
 * was hidden.
 */
export function useWrite<E extends Endpoint>(
  endpoint: E,
  options: WriteOptions<E> = {},
): UseMutationResult<Output<E>, ApiError, CallInput<E>> {
  const held = useRef<{ key: string; input: string } | null>(null)
  return useMutation<Output<E>, ApiError, CallInput<E>>({
    mutationFn: async (input) => {
      const text = JSON.stringify(input)
      // The same act repeated after a lost answer keeps its key, so that it happens once.
      const key = held.current?.input === text ? held.current.key : newKey()
      held.current = { key, input: text }
      try {
        const work = call(endpoint, input, { idempotencyKey: key })
        const answer = await (options.overlay ? withLoading(work) : work)
        held.current = null
        return answer
      } catch (error) {
        if (!isApiError(error) || !['timeout', 'network', 'blocked'].includes(error.kind))
          held.current = null
        throw error
      }
    },
    meta: {
      success: options.success,
      claims: options.claims,
      invalidates: options.invalidates ?? [firstSegment(endpoint.path)],
    },
    ...(options.onSuccess ? { onSuccess: options.onSuccess } : {}),
  })
}
