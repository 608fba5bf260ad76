"""All kinds of histories."""

import kinds
import kinds_flow
import kinds_outside

ALL = [kinds.Plain(), kinds.Two(), kinds.Choice(), kinds.Fail(), kinds.Guard(), kinds.Forged(),
       kinds_flow.Once(), kinds_flow.Order(), kinds_flow.Tie(), kinds_flow.Serial(), kinds_flow.Needs(),
       kinds_flow.Skip(), kinds_flow.Fetch(),
       kinds_outside.Http(), kinds_outside.HttpMost(), kinds_outside.HttpOnce(), kinds_outside.HttpOrder(),
       kinds_outside.Doubt(), kinds_outside.Command(), kinds_outside.CommandOnce(), kinds_outside.Poison(),
       kinds_outside.LaneDies(),
       kinds_outside.Reply(), kinds_outside.ReplyCommand()]
