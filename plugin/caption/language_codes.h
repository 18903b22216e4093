// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The codes of ISO 639-2 for languages that have no code of two letters: GStreamer's list lacks most of them.
#pragma once

#include <string_view>

namespace genclip {

// In alphabetical order, each followed by a blank.
inline constexpr std::string_view kThreeLetterLanguages =
    "ace ach ada ady afa afh ain akk ale alg alt ang anp apa arc arn arp art arw ast ath aus awa bad "
    "bai bal ban bas bat bej bem ber bho bik bin bla bnt bra btk bua bug byn cad cai car cau ceb cel "
    "chb chg chk chm chn cho chp chr chy cmc cnr cop cpe cpf cpp crh crp csb cus dak dar day del den "
    "dgr din doi dra dsb dua dum dyu efi egy eka elx enm ewo fan fat fil fiu fon frm fro frr frs fur "
    "gaa gay gba gem gez gil gmh goh gon gor got grb grc gsw gwi hai haw hil him hit hmn hsb hup iba "
    "ijo ilo inc ine inh ira iro jbo jpr jrb kaa kab kac kam kar kaw kbd kha khi kho kmb kok kos kpe "
    "krc krl kro kru kum kut lad lah lam lez lol loz lua lui lun luo lus mad mag mai mak man map mas "
    "mdf mdr men mga mic min mkh mnc mni mno moh mos mun mus mwl mwr myn myv nah nai nap nds new nia "
    "nic niu nog non nqo nso nub nwc nym nyn nyo nzi osa ota oto paa pag pal pam pap pau peo phi phn "
    "pon pra pro raj rap rar roa rom rup sad sah sai sal sam sas sat scn sco sel sem sga sgn shn sid "
    "sio sit sla sma smi smj smn sms snk sog son srn srr ssa suk sus sux syc syr tai tem ter tet tig "
    "tiv tkl tlh tli tmh tog tpi tsi tum tup tut tvl tyv udm uga umb vai vot wak wal war was wen xal "
    "yao yap ypk zap zbl zen zgh znd zun zza ";

}  // namespace genclip
