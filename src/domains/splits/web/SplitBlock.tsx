import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useLive } from '../../../web/live.ts'
import { Money } from '../../../web/Money.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Pairs, Sheet } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { useTarget } from '../../../web/useTarget.ts'
import { splits, splitTones } from '../contract.ts'
import { settlementPath } from './pickers.ts'

/** Whose an order's money is: a block of its page, for whoever may read where money goes. */
export function SplitBlock({ orderNum }: { orderNum: string }) {
  return useMay()('settlement:read') ? <Block orderNum={orderNum} /> : null
}

function Block({ orderNum }: { orderNum: string }) {
  const { t } = useTranslation('splits')
  const target = useTarget()
  const read = useRead(splits.settlement, { orderNum }, { inline: true })
  useLive('splits', [splits.settlement.path])
  const to = target(`${settlementPath}?orderNum=${orderNum}`)
  return (
    <>
      {read.data?.splits.map(({ id, state, shares, standing }) => (
        <Sheet
          key={id}
          title={t('settlement.block')}
          end={
            <StatusTag chip tone={splitTones[state]}>
              {t(`enums.state.${state}`)}
            </StatusTag>
          }
        >
          <Pairs
            items={[
              ...shares.map(
                ({ name, given, returned }) =>
                  [name, <Money key="v" fen={given - returned} />] as const,
              ),
              ...(standing
                ? [[t('settlement.stands'), t(`settlement.standing.${standing}`)] as const]
                : []),
              ...(to
                ? [
                    [
                      <Muted key="l">{t('settlement.title')}</Muted>,
                      <Link key="v" to={to}>
                        {t('settlement.open')}
                      </Link>,
                    ] as const,
                  ]
                : []),
            ]}
          />
        </Sheet>
      ))}
    </>
  )
}
