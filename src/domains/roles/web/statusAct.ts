type Status = 'ENABLED' | 'DISABLED'
type Row = { readonly status: string; readonly can: { readonly stop: boolean } }
type Set<R> = (row: R, more: { status: Status }) => Promise<unknown> | unknown

/** Of a role or a menu: stopped while it works, started again while it does not. */
export const statusAct = <R extends Row>(
  t: (key: string) => string,
  row: R,
  { stop, start }: { stop: Set<R>; start: Set<R> },
) =>
  row.status === 'ENABLED'
    ? {
        key: 'stop',
        label: t('stop'),
        can: row.can.stop,
        danger: true,
        onClick: () => void stop(row, { status: 'DISABLED' }),
      }
    : {
        key: 'start',
        label: t('web:action.enable'),
        can: row.can.stop,
        onClick: () => void start(row, { status: 'ENABLED' }),
      }
