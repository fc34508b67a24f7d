import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { Bad } from '../../../web/ui/Text.tsx'
import { useTarget } from '../../../web/useTarget.ts'
import { type SplitDetail, splits, splitTones } from '../contract.ts'
import { settlementPath } from './pickers.ts'

/** One split order: its times, what each party has of it, and its pieces. */
export function SplitDrawer({ id, ...steps }: DetailProps) {
  const { t } = useTranslation('splits')
  const known = /^[1-9]\d{0,14}$/.test(id)
  const read = useRead(splits.get, { id: Number(id) }, { inline: true, enabled: known })
  useLive('splits', [splits.get.path])
  const split = known ? read.data : undefined
  return (
    <Detail
      open={known}
      {...steps}
      title={split?.splitNo ?? ''}
      status={
        split ? (
          <StatusTag chip tone={splitTones[split.state]}>
            {t(`enums.state.${split.state}`)}
          </StatusTag>
        ) : null
      }
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
    >
      {split ? <Body split={split} /> : null}
    </Detail>
  )
}

function Body({ split }: { split: SplitDetail }) {
  const { t } = useTranslation('splits')
  const target = useTarget()
  const order = target(`/order/order-details/${split.orderNum}`)
  const way = target(`${settlementPath}?orderNum=${split.orderNum}`)
  const { shares, units, requests, returns } = split
  /** A code of the channel, in words where we know it. */
  const withWhy = (state: string, why: string | null) =>
    why === null ? state : t('whyText', { state, why: t(`why.${why}`, { defaultValue: why }) })
  const nameOf = (orgId: number) => shares.find((one) => one.orgId === orgId)?.name ?? ''
  const money = (given: number, returned: number) =>
    returned ? `${yuan(given)} − ${yuan(returned)}` : yuan(given)
  return (
    <>
      <Rows
        items={[
          [
            t('fields.orderNum'),
            order ? (
              <Link key="order" to={order}>
                {split.orderNum}
              </Link>
            ) : (
              split.orderNum
            ),
          ],
          ...(way
            ? [
                [
                  t('settlement.title'),
                  <Link key="way" to={way}>
                    {t('settlement.open')}
                  </Link>,
                ] as const,
              ]
            : []),
          [t('fields.rtuNumber'), split.rtuNumber],
          [t('fields.orgName'), split.orgName],
          [t('fields.strategyName'), `${split.strategyName} v${split.versionNo}`],
          [t('fields.mode'), t(`enums.mode.${split.mode}`)],
          [t('fields.paid'), yuan(split.paid)],
          [t('fields.fee'), yuan(split.fee)],
          [t('fields.createTime'), <Time key="paid" at={split.createTime} />],
          [
            t('fields.accruedAt'),
            split.accruedAt ? <Time key="accrued" at={split.accruedAt} /> : '',
          ],
          [
            t('fields.dueAt'),
            split.dueAt ? <Time key="due" at={split.dueAt} /> : split.accruedAt ? t('manual') : '',
          ],
          ...(split.freezeDeadline
            ? [
                [
                  t('fields.freezeDeadline'),
                  <Time key="frozen" at={split.freezeDeadline} />,
                ] as const,
              ]
            : []),
          [t('fields.doneAt'), split.doneAt ? <Time key="done" at={split.doneAt} /> : ''],
          ...(split.failReason
            ? [
                [
                  t('fields.failReason'),
                  <Bad key="why">{t(`enums.failReason.${split.failReason}`)}</Bad>,
                ] as const,
              ]
            : []),
        ]}
      />
      <Rows
        title={t('parts.shares')}
        items={shares.map(({ name, given, returned, isCollector, state, failReason }) => [
          name,
          split.mode === 'CHANNEL' && !isCollector ? (
            <span key="share">
              {money(given, returned)} ·{' '}
              {state === 'FAILED' ? (
                <Bad>{withWhy(t('shareState.FAILED'), failReason)}</Bad>
              ) : (
                t(`shareState.${state}`)
              )}
            </span>
          ) : (
            money(given, returned)
          ),
        ])}
      />
      {requests.length ? (
        <Rows
          title={t('parts.requests')}
          items={requests.map(({ requestNo, kind, state, lastError }) => [
            t(`requestKind.${kind}`),
            `${requestNo} · ${withWhy(t(`requestState.${state}`), lastError)}`,
          ])}
        />
      ) : null}
      {returns.length ? (
        <Rows
          title={t('parts.returns')}
          items={returns.map(({ orgId, amount, state, failReason, lastError, refundNo }) => [
            nameOf(orgId),
            `${yuan(amount)} · ${refundNo} · ${withWhy(
              t(`returnState.${state}`),
              failReason ?? lastError,
            )}`,
          ])}
        />
      ) : null}
      <Rows
        title={t('parts.units')}
        items={units.map(
          ({ unitNo, paid, fee, gives, backAt }) =>
            [
              `${t('fields.unitNo')} ${unitNo}`,
              `${yuan(paid)} · ${t('fields.fee')} ${yuan(fee)} · ${gives
                .map((give) => yuan(give))
                .join(' / ')}${backAt ? ` · ${t('fields.returned')}` : ''}`,
            ] as const,
        )}
      />
    </>
  )
}
