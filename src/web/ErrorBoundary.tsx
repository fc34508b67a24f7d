import { Component, type ReactNode } from 'react'
import { resetLoading } from './loading.ts'

type Props = {
  readonly children: ReactNode
  readonly fallback: (error: unknown, retry: () => void) => ReactNode
}
type State = { readonly error: unknown; readonly failed: boolean }

/**
 * React knows error boundaries as classes only. One per tab: a broken page leaves the others alone.
 */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, failed: false }
  static getDerivedStateFromError(error: unknown): State {
    return { error, failed: true }
  }
  override componentDidCatch(): void {
    resetLoading()
  }
  override render(): ReactNode {
    return this.state.failed
      ? this.props.fallback(this.state.error, () => this.setState({ error: null, failed: false }))
      : this.props.children
  }
}
