import { Button, Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { Problem, Skeleton } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Lines } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { users } from '../contract.ts'
import { Face } from './Face.tsx'

/** Somebody beside the list: where he stands, how he signs in, which machines he serves. */
export function UserDrawer({ id: named, ...beside }: DetailProps) {
  const { t } = useTranslation(['users', 'web'])
  const may = useMay()
  const navigate = useNavigate()
  const id = Number(named)
  const read = useRead(users.get, { id }, { inline: true })
  useLive('users', [users.get.path])
  const user = read.data
  const log = (page: string) => (
    <Button key={page} onClick={() => navigate(`/log/${page}?username=${user?.username}`)}>
      {t(`acts.${page}`)}
    </Button>
  )
  return (
    <Detail
      open
      {...beside}
      title={user?.realName ?? ''}
      {...(user
        ? {
            id: user.username,
            status: (
              <StatusTag chip tone={user.status === 'ENABLED' ? 'online' : 'locked'}>
                {t(`enums.status.${user.status}`)}
              </StatusTag>
            ),
          }
        : {})}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      actions={user && may('log:read') ? ['operate-log', 'login-log'].map(log) : null}
    >
      {user ? (
        <Flex vertical gap={12}>
          <Face row={user} size={72} />
          <Rows
            items={[
              [t('fields.roleName'), user.roleName],
              [t('fields.operatorName'), user.operatorName],
              [t('fields.departmentName'), user.departmentName],
              [t('fields.isPrincipal'), t(`web:bool.${user.isPrincipal}`)],
              [t('fields.phone'), user.phone],
              [t('fields.consumerPhone'), user.consumerPhone],
              [t('fields.area'), user.area],
              [t('fields.address'), user.address],
              [
                t('fields.lastLoginTime'),
                user.lastLoginTime ? <Time key="at" at={user.lastLoginTime} /> : t('fields.never'),
              ],
              [t('fields.lastLoginIp'), user.lastLoginIp],
              [t('fields.wechatBound'), t(`web:bool.${user.wechatBound}`)],
              [t('fields.locked'), t(`web:bool.${user.locked}`)],
              [t('fields.createTime'), <Time key="made" at={user.createTime} />],
              [t('fields.deviceCount'), user.deviceCount],
            ]}
          />
          {user.deviceCount > 0 && may('device:assign') ? <Machines id={id} /> : null}
        </Flex>
      ) : null}
    </Detail>
  )
}

function Machines({ id }: { id: number }) {
  const may = useMay()
  const read = useRead(users.devices, { id }, { inline: true })
  if (read.error) return <Problem error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return <Skeleton rows={4} />
  return (
    <Lines columns="120px 1fr auto">
      {read.data.list.map((device) => (
        <li key={device.id}>
          {may('device:read') ? (
            <Link to={`/device/device-list?detail=${device.id}`}>{device.rtuNumber}</Link>
          ) : (
            device.rtuNumber
          )}
          <span>{device.nickname}</span>
          <Muted>
            <Time at={device.since} />
          </Muted>
        </li>
      ))}
    </Lines>
  )
}
